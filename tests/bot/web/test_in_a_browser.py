"""The page in a real Chromium: paste, copy, keyboard, dark, narrow, hostile text, files, reconnect, names."""

import os
import shutil
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio

from adapters.chat.console.platform import ConsolePlatform
from adapters.chat.interface import Card, Choice, Option, Place, Reply
from bot.sample_team import sample_incident
from tests.bot.web.relaunched import a_console, planned
from tests.bot.web.served import REFUSED, a_bot

playwright = pytest.importorskip(
    "playwright.async_api", reason="playwright is not installed: browser tests left out"
)

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: browser tests left out"),
]

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: milliseconds that the page gets for something that must happen
PATIENCE = 60_000
COMMAND = "unset VLLM_ATTENTION_BACKEND\nvllm serve Qwen/Qwen3-VL-8B-Instruct"

#: names of elements that a person can act on, as assistive technology gets them
NAMELESS = """() => [...document.querySelectorAll('button, a[href], input, textarea, select, summary, img')]
  .filter((one) => one.offsetParent !== null || one.classList.contains('unseen'))
  .filter((one) => {
    const labels = [...(one.labels ?? [])].map((label) => label.textContent).join('');
    const name = one.getAttribute('aria-label') || labels || one.textContent || one.getAttribute('title');
    return one.tagName === 'IMG' ? !one.hasAttribute('alt') : !(name ?? '').trim();
  }).map((one) => one.outerHTML)"""

#: texts whose contrast with what lies behind them is below 4.5
FAINT = """() => {
  const parse = (value) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.fillStyle = value;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const ground = parse(getComputedStyle(at).backgroundColor);
      if (ground[3] === 255) return ground;
    }
    return [255, 255, 255, 255];
  };
  const faint = [];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.offsetParent === null || one.closest('.unseen, [disabled]')) continue;
    const [a, b] = [light(parse(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push([one.className || one.tagName, ratio, one.textContent.trim().slice(0, 40)]);
  }
  return faint;
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser():
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        await browser.close()


@pytest.fixture
def chat(browser, tmp_path):
    """Return what opens the chat of a fresh bot."""

    @asynccontextmanager
    async def a_chat(*, options=None, **bot_options):
        async with (
            a_bot(tmp_path, **bot_options) as bot,
            an_open_page(browser, bot.listener.url, **(options or {})) as page,
        ):
            await page.wait_for_selector("#connection[data-state=live]", state="attached")
            yield page

    return a_chat


@asynccontextmanager
async def an_open_page(browser, url, **options):
    """Open a page; whatever goes wrong inside it, or leaves for another server, fails the test."""
    troubles = []
    context = await browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    page.on("request", lambda request: troubles.append(request.url) if is_foreign(request.url, url) else None)
    page.on("console", lambda note: troubles.append(note.text) if "Content Security" in note.text else None)
    await page.goto(url)
    yield page
    await context.close()
    assert troubles == []


def is_foreign(address, own):
    return not address.startswith((own, "blob:", "data:"))


async def paste(page, text):
    await page.fill("#text", text)
    await page.press("#text", "Control+Enter")


async def test_a_paste_gets_a_card_whose_commands_can_be_copied(chat):
    async with chat(options={"permissions": ["clipboard-read", "clipboard-write"]}) as page:
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")

        await page.click(".card .copy >> nth=0")

        await page.wait_for_selector(".copy.done")
        assert await page.evaluate("navigator.clipboard.readText()") == COMMAND
        assert await page.input_value("#text") == ""
        assert "refuses FLASHINFER" in await page.inner_text(".card h3")
        assert "refuses FLASHINFER" in await page.inner_text("#announcer")


async def test_a_copy_button_works_where_the_clipboard_is_closed_to_pages(chat):
    async with chat() as page:
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")
        await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")

        await page.click(".card .copy >> nth=0")
        await page.wait_for_selector(".copy.done")
        await page.focus("#text")
        await page.keyboard.press("Control+V")

        assert await page.input_value("#text") == COMMAND


async def test_the_sample_incident_is_one_click_away(chat):
    async with chat(sample=sample_incident()) as page:
        await page.click("#sample")

        await page.wait_for_selector(".card.tone-bad")
        assert await page.locator(".message").count() == 2


async def test_everything_can_be_done_with_the_keyboard(chat):
    async with chat() as page:
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.className") == "skip"
        await page.focus("#text")
        await page.keyboard.insert_text(REFUSED)
        await page.keyboard.press("Control+Enter")
        await page.wait_for_selector(".card")

        for _ in range(40):
            await page.keyboard.press("Shift+Tab")
            if await page.evaluate("document.activeElement.textContent") == "This answer is wrong":
                break
        await page.keyboard.press("Enter")
        await page.wait_for_selector("dialog[open]")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")

        await page.wait_for_selector(".thanks")


async def test_the_focus_is_always_visible(chat):
    async with chat() as page:
        for _ in range(14):
            await page.keyboard.press("Tab")
            outline = await page.evaluate(
                "(() => { const one = document.activeElement; const shown = one.matches('.unseen')"
                " ? one.previousElementSibling : one;"
                " return one === document.body ? 'left' : getComputedStyle(shown).outlineStyle; })()"
            )

            assert outline != "none"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/rules", "/rules/vit-backend-rejected", "/incidents", "/figures"])
async def test_text_stands_out_in_light_and_dark(chat, scheme, path):
    async with chat(sample="x", options={"color_scheme": scheme}) as page:
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")
        await page.click("#facts-button")
        await paste(page, "Lunch?")
        await page.wait_for_selector(".ask")
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        if path != "/":
            await page.goto(page.url.partition("#")[0].rstrip("/") + path)

        ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")

        assert await page.evaluate(FAINT) == []
        assert (sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 200) is (
            scheme == "dark"
        )


async def test_the_reader_can_choose_dark_and_it_is_remembered(chat):
    async with chat(options={"color_scheme": "light"}) as page:
        await page.click("#theme")
        await page.reload()

        assert await page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert await page.get_attribute("#theme", "aria-pressed") == "true"


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src=x onerror=\"alert('x')\">",
        "</script><script>alert(1)</script>",
        "<svg onload=alert(1)>\n<iframe src=javascript:alert(1)>\n<b>bold</b>",
        "{{ 7 * 7 }} ${7*7} <style>body{display:none}</style>",
    ],
)
async def test_what_is_pasted_is_shown_as_text(chat, hostile):
    async with chat() as page:
        await paste(
            page, f"{hostile}\nsecond line\n{hostile} does not support AttentionBackendEnum.X backend now"
        )
        await page.wait_for_selector(".card")
        await page.reload()
        await page.wait_for_selector(".card")

        shown = await page.inner_text(".pasted, .said")

        assert hostile.splitlines()[0] in shown
        inside = ".log img, .log svg, .log iframe, .log script, .log style, .log b"
        assert await page.locator(inside).count() == 0


async def test_a_dropped_file_is_sent_and_answered(chat):
    async with chat() as page:
        data = await page.evaluate_handle(
            "(text) => { const data = new DataTransfer();"
            " data.items.add(new File([text], 'vllm.log', { type: 'text/plain' })); return data; }",
            REFUSED,
        )
        await page.dispatch_event("body", "dragenter", {"dataTransfer": data})
        assert await page.is_visible("#drop")

        await page.dispatch_event("body", "drop", {"dataTransfer": data})
        assert not await page.is_visible("#drop")
        await page.click("#send")

        await page.wait_for_selector(".card")
        assert "vllm.log" in await page.inner_text(".sent-files")


async def test_a_chosen_file_can_be_taken_back(chat):
    async with chat() as page:
        content = {"name": "a.log", "mimeType": "text/plain", "buffer": b"x"}
        await page.set_input_files("#file", [content, {**content, "name": "b.log"}])

        await page.click("#files button >> nth=0")

        assert await page.locator("#files li").all_inner_texts() == ["b.log\n1 B\n×"]


async def test_a_file_that_is_too_large_is_refused_with_a_sentence_before_it_is_sent(chat):
    async with chat(triage={"file_limit_mib": 1}) as page:
        content = {"name": "big.log", "mimeType": "text/plain", "buffer": b"x" * ((1 << 20) + 1)}
        await page.set_input_files("#file", content)

        assert "big.log is larger than 1 MiB" in await page.inner_text("#problem")
        assert await page.locator("#files li").count() == 0


async def test_a_paste_beyond_the_limit_becomes_a_file(chat):
    async with chat() as page:
        await page.evaluate(
            "() => { const data = new DataTransfer(); data.setData('text/plain', 'x'.repeat((1 << 20) + 1));"
            " document.getElementById('text').dispatchEvent("
            " new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }"
        )

        assert "paste.log" in await page.inner_text("#files")
        assert "1 MiB" in await page.inner_text("#problem")


async def test_sending_nothing_says_what_to_do(chat):
    async with chat() as page:
        await page.click("#send")

        assert "paste a log" in await page.inner_text("#problem")


async def test_who_gets_no_answer_sees_why_and_can_ask(chat):
    async with chat() as page:
        await paste(page, "Lunch?")
        await page.click(".mark .ask")

        await page.wait_for_selector(".card.tone-good")
        assert "Only you see this" in await page.inner_text(".answer .byline")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_one_of_many_is_chosen_with_the_keyboard_and_only_when_confirmed(browser, tmp_path, scheme):
    options = tuple(Option(f"r:{number}", f"server {number} <b>") for number in range(30))
    card = Card("Which server?", "Which server?", choices=(Choice("pick", "Which server?", options),))
    async with (
        a_bot(tmp_path) as bot,
        an_open_page(
            browser, bot.listener.url, color_scheme=scheme, viewport={"width": 360, "height": 800}
        ) as page,
    ):
        place = Place("console", "local", "incidents")
        await ConsolePlatform(bot.chats.rooms).post(place, Reply("r" * 32, card))
        await page.wait_for_selector(".card .choice select")
        assert await page.evaluate(NAMELESS) == []
        assert await page.evaluate(FAINT) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        await page.focus(".choice select")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Tab")
        async with page.expect_request("**/clicks") as sent:
            await page.keyboard.press("Enter")

        pressed = (await sent.value).post_data_json
        assert (pressed["action"], pressed["value"], pressed["message"]) == ("pick", "r:1", "r" * 32)


async def test_a_reply_in_the_thread_brings_the_card_up_to_date(chat):
    async with chat() as page:
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")
        await page.click(".reply")
        assert await page.evaluate("document.activeElement.id") == "text"

        await paste(page, "GPU 0: NVIDIA H100 80GB HBM3")

        await page.wait_for_selector(".edited")
        assert "H100" in await page.inner_text(".card .facts")
        assert await page.locator(".card").count() == 1


async def test_the_page_comes_back_by_itself_and_misses_nothing(browser, tmp_path):
    async with a_bot(tmp_path) as bot:
        port, url = bot.listener.port, bot.listener.url
        stack = an_open_page(browser, url)
        page = await stack.__aenter__()
        await page.wait_for_selector("#connection[data-state=live]")
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")
    try:
        await page.wait_for_selector("#connection[data-state=lost]")
        await page.fill("#text", "Lunch?")
        await page.press("#text", "Control+Enter")
        await page.wait_for_selector("#problem:has-text('cannot be reached')")
        assert await page.input_value("#text") == "Lunch?"

        async with a_bot(tmp_path, console={"port": port}) as bot:
            said = {"id": "away", "thread": None, "author": {"id": "bo", "name": "Bo", "is_bot": False}}
            more = {"text": "While you were away", "files": [], "fields": {}, "trigger": "said"}
            at = {"at": "2026-12-01T12:00:00+00:00"}
            await bot.chats.rooms.append("incidents", "message", "away", {**said, **more, **at})

            await page.wait_for_selector("#connection[data-state=live]")
            await page.wait_for_selector("text=While you were away")
            assert await page.locator(".card").count() == 1
            await page.click("#send")
            await page.wait_for_selector(".said:has-text('Lunch?')")
    finally:
        await stack.__aexit__(None, None, None)


@pytest.mark.parametrize("width", [320, 390, 760])
async def test_a_narrow_screen_never_scrolls_sideways(chat, width):
    async with chat(sample="x", options={"viewport": {"width": width, "height": 780}}) as page:
        await paste(page, f"{REFUSED}\n{'y' * 4000}\n{'long words ' * 60}")
        await page.wait_for_selector(".card")
        own = page.url.partition("#")[0].rstrip("/")

        for path in ("/", "/incidents", "/rules", "/rules/vit-backend-rejected", "/figures"):
            await page.goto(own + path)

            wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, path


async def test_everything_to_act_on_has_a_name_and_pages_have_landmarks(chat):
    async with chat(sample="x") as page:
        await paste(page, REFUSED)
        await page.wait_for_selector(".card")
        await page.click("#facts-button")
        own = page.url.partition("#")[0].rstrip("/")

        for path in ("", "/rules", "/rules/vit-backend-rejected", "/incidents", "/figures"):
            if path:
                await page.goto(own + path)
            ids = await page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")

            assert await page.evaluate(NAMELESS) == []
            assert len(ids) == len(set(ids))
            assert await page.locator("main").count() == 1
            assert await page.locator("h1").count() == 1
            assert await page.get_attribute("html", "lang") == "en"
            assert await page.title()


async def test_the_page_speaks_chinese(chat):
    async with chat() as page:
        await page.click("text=中文")

        await page.wait_for_selector("#connection[data-state=live]")
        assert await page.get_attribute("html", "lang") == "zh"
        assert await page.inner_text("#send") == "发送"


async def test_the_card_leads_to_the_rule_and_the_list_to_the_incident(chat):
    async with chat() as page:
        await paste(page, REFUSED)
        await page.click("summary:has-text('References')")
        await page.click("text=About the rule")
        await page.wait_for_selector("h1:has-text('vision encoder')")
        await page.click("nav >> text=Incidents")

        await page.click("td a")

        await page.wait_for_selector(".card")
        assert "refuses FLASHINFER" in await page.inner_text("h1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_relaunch_is_approved_on_its_page_which_follows_it_by_itself(browser, tmp_path, scheme):
    options = {"color_scheme": scheme, "viewport": {"width": 390, "height": 844}}
    async with (
        a_console(tmp_path) as (bot, _, team),
        an_open_page(browser, bot.listener.url, **options) as page,
    ):
        run_id, _ = await planned(team)
        await page.goto(f"{bot.listener.url}/relaunches/{run_id}")
        approve = page.locator("#card button", has_text="Approve")
        await approve.wait_for()
        assert await page.evaluate(NAMELESS) == []
        assert await page.evaluate(FAINT) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        await approve.focus()
        await page.keyboard.press("Enter")
        await page.locator("dialog button", has_text="Approve").click()

        await page.wait_for_selector("#said .card")
        assert "it begins" in await page.inner_text("#said")
        # nobody answers for this host, and the page says so without being loaded again
        await page.locator("#timeline", has_text="host does not answer").wait_for()
        await page.locator("#log", has_text="gpu-1").wait_for()
        assert "approved" in await page.inner_text("#timeline")


async def test_the_page_of_hosts_says_how_each_server_is(browser, tmp_path):
    async with a_console(tmp_path) as (bot, _, _), an_open_page(browser, bot.listener.url) as page:
        await page.click("nav a[href='/hosts']")
        await page.wait_for_selector("[data-server=qwen][data-state=silent]")

        assert "no answer" in await page.inner_text("[data-server=qwen]")
        assert await page.evaluate(NAMELESS) == []
        assert await page.evaluate(FAINT) == []
