"""Host, origin, form word, session, link, size, rate and headers, over real HTTP."""

import re

import aiohttp
import pytest

from bot.bootstrap import login
from bot.listening import NotServingError
from bot.web.hosts import KnownHosts
from tests.bot.web.served import a_bot, a_loaded_page, a_page

MANY = {"messages_per_minute": 3}


async def test_the_page_opens_without_signing_in_on_this_machine_alone(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        status, text = await page.load()

        assert status == 200
        assert page.boot["person"]["name"] == "Ada"
        assert "Ada" in text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "localhost:1"]
)
@pytest.mark.parametrize("path", ["/", "/healthz", "/static/chat.js", "/api/rooms/events"])
async def test_a_request_under_a_foreign_name_is_refused_everywhere(tmp_path, host, path):
    async with a_loaded_page(tmp_path) as page:
        async with page.http.get(page.url + path, headers={"Host": host}) as response:
            text = await response.text()

        assert response.status in {400, 421}
        assert "Ada" not in text


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1", "http://localhost:1"]
)
async def test_a_change_from_a_foreign_page_is_refused(tmp_path, origin):
    async with a_loaded_page(tmp_path) as page:
        status, answer = await page.post("/api/rooms/incidents/clicks", body={}, Origin=origin)

        assert (status, answer["error"]) == (403, "foreign-origin")


@pytest.mark.parametrize("word", [None, "", "0" * 64, "ü"])
async def test_a_change_without_the_word_of_the_page_is_refused(tmp_path, word):
    async with a_loaded_page(tmp_path) as page:
        status, answer = await page.post("/api/rooms/incidents/clicks", body={}, **{"X-CSRF-Token": word})

        assert (status, answer["error"]) == (403, "no-form-word")


async def test_the_word_of_another_session_is_refused(tmp_path):
    async with a_loaded_page(tmp_path) as page, a_page(page.url) as other:
        await other.load()

        status, answer = await page.post(
            "/api/rooms/incidents/clicks", body={}, **{"X-CSRF-Token": other.boot["csrf"]}
        )

        assert (status, answer["error"]) == (403, "no-form-word")


async def test_the_cookie_is_kept_from_scripts_and_from_other_sites(tmp_path):
    async with a_bot(tmp_path) as bot, aiohttp.ClientSession() as http:
        async with http.get(bot.listener.url) as response:
            cookie = response.headers["Set-Cookie"]

        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/static/chat.js", "/nothing-here", "/api/incidents", "/rules"]
)
async def test_every_answer_carries_the_headers_that_keep_a_page_to_itself(tmp_path, path):
    async with a_loaded_page(tmp_path) as page, page.http.get(page.url + path) as response:
        policy = response.headers["Content-Security-Policy"]

        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "same-origin"


async def test_pages_ask_nothing_of_other_servers(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        for path in (
            "/",
            "/rules",
            "/incidents",
            "/static/console.css",
            "/static/chat.js",
            "/static/card.js",
        ):
            _, text = await page.load(path)

            assert not re.search(
                r"""(?:src|href)=["'](?:https?:)?//|url\(|@import|from ["']https?:""", text
            ), path


async def test_what_was_pasted_never_becomes_markup_of_a_page(tmp_path):
    nasty = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    model = f"{nasty} does not support AttentionBackendEnum.X backend now"
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(model)
        await events.room("reply")
        _, listing = await page.load("/incidents")
        link = re.search(r"/incidents/[0-9a-f]+", listing)
        _, incident = await page.load(link[0])

        assert "<img src=x" not in listing
        assert "<script>alert" not in incident
        assert incident.count("</script>") == incident.count("<script")


async def test_too_much_from_one_session_is_held_back_and_others_are_not(tmp_path):
    async with a_loaded_page(tmp_path, console=MANY) as page, a_page(page.url) as other:
        await other.load()
        statuses = [(await page.say(f"hello {number}"))[0] for number in range(5)]

        assert statuses == [201, 201, 201, 429, 429]
        assert (await other.say("hello"))[0] == 201


async def test_a_text_beyond_its_limit_is_refused_with_the_limit(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        exact, _ = await page.say("x" * (1 << 20))
        status, answer = await page.say("x" * ((1 << 20) + 1))

        assert exact == 201
        assert (status, answer) == (413, {"error": "text-too-long", "values": {"limit": 1 << 20}})


async def test_a_file_beyond_its_limit_is_refused_and_not_kept(tmp_path):
    async with a_loaded_page(tmp_path, triage={"file_limit_mib": 1}) as page:
        status, answer = await page.say("", files=[("../../big.log", b"x" * ((1 << 20) + 1))])

        assert status == 413
        assert answer == {"error": "file-too-large", "values": {"limit": 1 << 20, "name": "big.log"}}
        assert list((tmp_path / "uploads").iterdir()) == []


async def test_too_many_files_are_refused_and_none_is_kept(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        status, answer = await page.say("", files=[(f"{number}.log", b"x") for number in range(6)])

        assert (status, answer["error"]) == (413, "too-many-files")
        assert list((tmp_path / "uploads").iterdir()) == []


@pytest.mark.parametrize(
    ("path", "data", "status", "code"),
    [
        ("/api/rooms/incidents/messages", b"not a form", 415, "not-a-form"),
        ("/api/rooms/incidents/clicks", b"[1, 2]", 400, "not-a-click"),
        ("/api/rooms/incidents/clicks", b"{", 400, "not-a-click"),
        ("/api/rooms/incidents/messages/none/ask", b"{}", 404, "no-message"),
        ("/api/nothing", b"{}", 404, "not-found"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_a_code(tmp_path, path, data, status, code):
    async with a_loaded_page(tmp_path) as page:
        got, answer = await page.post(path, data=data)

        assert (got, answer["error"]) == (status, code)


async def test_an_empty_message_and_an_unknown_room_are_refused(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        assert (await page.say(" \n"))[1]["error"] == "empty"
        assert (await page.say("hello", channel="elsewhere"))[1]["error"] == "no-channel"


async def test_where_people_sign_in_nothing_is_shown_before(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        for path in ("/", "/incidents", "/rules", "/api/incidents", "/api/rooms/events"):
            status, text = await page.load(path)

            assert status == 401, path
            assert "incidents" not in text or "login" in text
        assert (await page.say("hello"))[0] in {401, 403}
        assert (await page.load("/healthz"))[0] == 200


async def test_a_link_signs_one_browser_in_once(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        link = await login(bot.settings)
        path = link.removeprefix(bot.listener.url)
        token = path.partition("=")[2]

        form_status, form = await page.load(path)
        status, _ = await page.post("/login", data={"token": token})
        again, _ = await page.post("/login", data={"token": token})
        _, text = await page.load()

        assert form_status == 200
        assert token in form
        assert (status, again) == (200, 403)
        assert page.boot["person"]["id"].startswith("os:")
        assert text


async def test_only_looking_at_a_link_does_not_use_it_up(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        link = await login(bot.settings)

        for _ in range(3):
            await page.load(link.removeprefix(bot.listener.url))
        status, _ = await page.post("/login", data={"token": link.partition("=")[2]})

        assert status == 200


async def test_a_foreign_page_cannot_sign_a_browser_in(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        link = await login(bot.settings)

        status, _ = await page.post(
            "/login", data={"token": link.partition("=")[2]}, Origin="http://evil.example"
        )

        assert status == 403


async def test_who_signs_out_is_out(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        link = await login(bot.settings)
        await page.post("/login", data={"token": link.partition("=")[2]})
        await page.load()
        cookies = {cookie.key: cookie.value for cookie in page.http.cookie_jar}

        await page.post("/api/sign-out", body={})

        async with aiohttp.ClientSession(cookies=cookies) as http, http.get(bot.listener.url) as response:
            assert response.status == 401


async def test_tokens_are_kept_only_as_hashes(tmp_path):
    async with a_bot(tmp_path, everybody=None) as bot, a_page(bot.listener.url) as page:
        link = await login(bot.settings)
        token = link.partition("=")[2]
        await page.post("/login", data={"token": token})
        session = next(iter(page.http.cookie_jar)).value
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    assert token.encode() not in kept
    assert session.encode() not in kept


async def test_login_says_so_when_no_bot_is_running(tmp_path):
    async with a_bot(tmp_path) as bot:
        settings = bot.settings

    with pytest.raises(NotServingError, match="vllm-diagnose serve"):
        await login(settings)


@pytest.mark.parametrize(
    ("host", "loopback", "known"),
    [
        ("127.0.0.1:8765", True, True),
        ("localhost:8765", True, True),
        ("[::1]:8765", True, True),
        ("127.0.0.1:8766", True, False),
        ("localhost", True, False),
        ("10.0.0.5:8765", True, False),
        ("10.0.0.5:8765", False, True),
        ("triage.example.org", False, True),
        ("gpu-box", False, True),
        ("evil.example:8765", False, False),
        ("[::1", False, False),
        ("a:b:c", False, False),
        ("127.0.0.1:99999999", False, False),
    ],
)
def test_a_server_knows_its_own_names(host, loopback, known):
    hosts = KnownHosts(8765, loopback, "https://triage.example.org", ("gpu-box",))

    assert hosts.knows(host) is known


def test_the_public_address_is_an_own_origin_behind_a_proxy():
    hosts = KnownHosts(8765, is_loopback=True, public_url="https://triage.example.org")

    assert hosts.is_own_origin("https://triage.example.org", "triage.example.org", "http")
    assert not hosts.is_own_origin("https://evil.example", "triage.example.org", "http")


@pytest.mark.parametrize(
    ("accepted", "title", "back"),
    [("en", "No such page", "Back to the chat"), ("zh-CN,zh;q=0.9", "找不到页面", "返回聊天")],
)
async def test_a_page_that_is_not_there_says_so_in_the_readers_language_and_leads_back(
    tmp_path, accepted, title, back
):
    async with a_loaded_page(tmp_path) as page:
        headers = {"Accept-Language": accepted}
        async with page.http.get(page.url + "/nothing-here", headers=headers) as response:
            text = await response.text()

        assert response.status == 404
        assert f"<h1>{title}</h1>" in text
        assert f'<a href="/">{back}</a>' in text


async def test_the_page_of_a_rule_is_in_the_readers_language_throughout(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        _, text = await page.load("/rules/vit-backend-rejected?lang=zh")

        assert "<dd>测试中</dd>" in text
        assert "<dd>test</dd>" not in text
