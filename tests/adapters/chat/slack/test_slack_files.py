"""Reading files from Slack: only what is Slack's, with the token shown to nobody else, and never too much."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from aiohttp import web

from adapters.chat.errors import FileGoneError, FileTooLargeError, NotAllowedError, UnreachableError
from adapters.chat.interface import File
from adapters.chat.slack.options import SlackOptions
from adapters.chat.slack.web.api import Api
from adapters.chat.slack.web.files import fetch
from tests.adapters.chat.slack.small_bot import TIMING, options_for
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload

MIB = 1 << 20


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with Workspace(SlackSettings(events=frozenset())) as workspace:
        yield workspace


@pytest.fixture
async def api(workspace: Workspace) -> AsyncIterator[Api]:
    api = Api(options_for(workspace.addresses))
    yield api
    await api.close()


async def shared(workspace: Workspace, upload: Upload, channel: str = "general") -> File:
    said = await workspace.user("ann").says(channel, "", files=[upload])
    return File(said.payload["files"][0]["id"], upload.name)


async def test_a_file_is_written_byte_by_byte(workspace: Workspace, api: Api, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1_000
    await fetch(api, await shared(workspace, Upload("a.log", content)), tmp_path / "a", MIB)
    assert (tmp_path / "a").read_bytes() == content


async def test_a_file_from_another_company_is_asked_for_first(
    workspace: Workspace, api: Api, tmp_path: Path
) -> None:
    workspace.channel("partners", shared=True)
    file = await shared(workspace, Upload("a.log", b"Traceback"), "partners")
    await fetch(api, file, tmp_path / "a", MIB)
    assert (tmp_path / "a").read_bytes() == b"Traceback"


async def test_a_file_beyond_the_limit_is_refused_before_it_is_read(
    workspace: Workspace, api: Api, tmp_path: Path
) -> None:
    file = await shared(workspace, Upload("a.log", b"x" * 1_001))
    with pytest.raises(FileTooLargeError):
        await fetch(api, file, tmp_path / "a", 1_000)
    assert not (tmp_path / "a").exists()


async def test_a_file_that_is_gone_says_so(api: Api, tmp_path: Path) -> None:
    with pytest.raises(FileGoneError, match=r"a\.log"):
        await fetch(api, File("F404", "a.log"), tmp_path / "a", MIB)


async def test_a_missing_scope_is_named(tmp_path: Path) -> None:
    async with Workspace(SlackSettings(scopes=frozenset({"chat:write"}))) as workspace:
        api = Api(options_for(workspace.addresses))
        try:
            with pytest.raises(NotAllowedError, match="files:read"):
                await fetch(api, await shared(workspace, Upload("a.log", b"x")), tmp_path / "a", MIB)
        finally:
            await api.close()


class OddSlack:
    """A Web API whose files lie where the test says; notes every token that it is shown."""

    def __init__(self) -> None:
        self.about: dict[str, object] = {}
        self.answer: Callable[[web.Request], web.StreamResponse] = lambda _: web.Response(body=b"Traceback")
        self.tokens: list[str | None] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def open(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/api/files.info", self._info)
        app.router.add_route("*", "/{any:.*}", self._file)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _info(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True, "file": self.about})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.tokens.append(request.headers.get("Authorization"))
        return self.answer(request)


@pytest.fixture
async def odd() -> AsyncIterator[OddSlack]:
    odd = OddSlack()
    await odd.open()
    odd.about = {"id": "F1", "mimetype": "text/plain", "url_private_download": f"{odd.url}/files/a.log"}
    yield odd
    await odd.close()


@pytest.fixture
async def elsewhere() -> AsyncIterator[OddSlack]:
    other = OddSlack()
    await other.open()
    yield other
    await other.close()


async def read(odd: OddSlack, tmp_path: Path, limit: int = MIB) -> bytes:
    api = Api(SlackOptions("xoxb-1", "xapp-1", api_url=f"{odd.url}/api", timing=TIMING))
    try:
        await fetch(api, File("F1", "a.log"), tmp_path / "a", limit)
    finally:
        await api.close()
    return (tmp_path / "a").read_bytes()


async def test_the_page_for_signing_in_is_no_file(odd: OddSlack, tmp_path: Path) -> None:
    odd.answer = lambda _: web.Response(text="<html>Sign in</html>", content_type="text/html")
    with pytest.raises(NotAllowedError, match="files:read"):
        await read(odd, tmp_path)
    odd.about["mimetype"] = "text/html"
    assert await read(odd, tmp_path) == b"<html>Sign in</html>"


async def test_a_file_that_lies_elsewhere_is_left_there(
    odd: OddSlack, elsewhere: OddSlack, tmp_path: Path
) -> None:
    odd.about["url_private_download"] = f"{elsewhere.url}/files/a.log"
    with pytest.raises(FileGoneError):
        await read(odd, tmp_path)
    assert not elsewhere.tokens


async def test_an_external_file_is_left_where_it_is(odd: OddSlack, tmp_path: Path) -> None:
    odd.about["is_external"] = True
    with pytest.raises(FileGoneError):
        await read(odd, tmp_path)
    assert not odd.tokens


async def test_the_token_does_not_follow_to_another_host(
    odd: OddSlack, elsewhere: OddSlack, tmp_path: Path
) -> None:
    odd.answer = lambda _: web.Response(status=302, headers={"Location": f"{elsewhere.url}/a.log"})
    with pytest.raises(NotAllowedError):
        await read(odd, tmp_path)
    assert not elsewhere.tokens


async def test_a_file_that_moved_within_slack_is_read(odd: OddSlack, tmp_path: Path) -> None:
    def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/files/a.log":
            return web.Response(status=302, headers={"Location": "/files/b.log"})
        return web.Response(body=b"moved")

    odd.answer = answer
    assert await read(odd, tmp_path) == b"moved"


async def test_going_round_in_circles_ends(odd: OddSlack, tmp_path: Path) -> None:
    odd.answer = lambda request: web.Response(status=302, headers={"Location": request.path})
    with pytest.raises(UnreachableError):
        await read(odd, tmp_path)
    assert len(odd.tokens) < 10


async def test_a_file_that_is_larger_than_it_said_is_cut_off(odd: OddSlack, tmp_path: Path) -> None:
    odd.about["size"] = 3
    odd.answer = lambda _: web.Response(body=b"x" * 5_000_000)
    with pytest.raises(FileTooLargeError):
        await read(odd, tmp_path, 100_000)
    assert (tmp_path / "a").stat().st_size <= 100_000


@pytest.mark.parametrize(
    ("status", "error"), [(404, FileGoneError), (403, NotAllowedError), (503, UnreachableError)]
)
async def test_each_refusal_says_what_to_do(
    odd: OddSlack, tmp_path: Path, status: int, error: type[Exception]
) -> None:
    odd.answer = lambda _: web.Response(status=status)
    with pytest.raises(error):
        await read(odd, tmp_path)


def test_only_slacks_own_hosts_may_see_the_token() -> None:
    options = SlackOptions("xoxb-1", "xapp-1")
    for url in ("https://files.slack.com/a", "https://slack.com/a", "https://slack-files.com/T1-F1"):
        assert options.is_own(url)
    for url in (
        "http://files.slack.com/a",
        "https://notslack.com/a",
        "https://slack.com.example.org/a",
        "https://slack.com@example.org/a",
        "https://user@slack.com/a",
        "//slack.com/a",
        "file:///etc/passwd",
        "https://example.org/slack.com",
        "https://[",
        "",
    ):
        assert not options.is_own(url)
