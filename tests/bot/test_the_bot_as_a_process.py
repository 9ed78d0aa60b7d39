"""`serve`, `demo` and `login` as people start them: an address, an answer, a prompt end, nothing left."""

import asyncio
import os
import re
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bot.web.served import REFUSED, a_page

ROOT = Path(__file__).parents[2]
#: seconds that a process gets to end
PATIENCE_S = 30
ADDRESS = re.compile(r"http://\S+:\d+(?:/\S+)?")


def _environment(folder, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VLLM_DIAGNOSE_")}
    return {**kept, "VLLM_DIAGNOSE_STATE_DIR": str(folder), **more}


def _command(*arguments):
    return [sys.executable, "-m", "bot", *arguments]


def _run(folder, *arguments):
    return subprocess.run(
        _command(*arguments), cwd=ROOT, env=_environment(folder), capture_output=True, text=True, check=False
    )


@contextmanager
def a_process(folder, *arguments, stderr=subprocess.PIPE, before=(), **more):
    """Start a command, wait for its address, and end it whatever happens."""
    process = subprocess.Popen(
        [*before, *_command(*arguments)],
        cwd=ROOT,
        env=_environment(folder, **more),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )
    try:
        line = process.stdout.readline()
        found = ADDRESS.search(line)
        assert found, line + (process.stderr.read() if process.stderr else "")
        yield process, found[0]
    finally:
        # what a demonstration has started ends with it, unless it is killed
        process.terminate()
        try:
            process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@pytest.fixture
def full():
    """A file on a disk that is full."""
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("this system has no device that is always full")
    with device.open("wb") as opened:
        yield opened


def _children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def _has_ended(process_file):
    """Wait for the end of a process that is held by its file descriptor."""
    ready, _, _ = select.select([process_file], [], [], PATIENCE_S)
    os.close(process_file)
    return bool(ready)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_the_demonstration_answers_and_ends_with_everything_it_started(tmp_path, number):
    with a_process(tmp_path, "demo", "--no-browser", "--port", "0") as (process, url):
        async with a_page(url) as page:
            await page.load()
            async with page.following() as events:
                await page.say(REFUSED, channel=page.boot["channels"][0])
                reply = await events.room("reply")
        workers = [os.pidfd_open(pid) for pid in _children(process.pid)]

        process.send_signal(number)
        out, err = await asyncio.to_thread(process.communicate, timeout=PATIENCE_S)

        assert reply["card"]["badges"] == ["certain"]
        assert workers
        assert all(_has_ended(one) for one in workers)
        assert process.returncode == 0, out + err
        assert "Traceback" not in err
        assert list(tmp_path.iterdir()) == []


async def test_a_bot_that_is_to_outlive_its_terminal_does(tmp_path):
    with a_process(tmp_path, "serve", "--port", "0", before=("nohup",)) as (process, url):
        process.send_signal(signal.SIGHUP)
        async with a_page(url) as page:
            status, _ = await page.load()
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.to_thread(process.communicate, timeout=PATIENCE_S)

    assert status == 200
    assert process.returncode == 0, out + err


async def test_a_bot_that_is_killed_at_any_point_answers_once_after_its_restart(tmp_path):
    said = []
    for _ in range(3):
        with a_process(tmp_path, "serve", "--port", "0") as (process, url):
            async with a_page(url) as page:
                await page.load()
                status, answer = await page.say(REFUSED)
                said.append(answer["id"])
            process.kill()
        assert status == 201

    with a_process(tmp_path, "serve", "--port", "0") as (_, url):
        async with a_page(url) as page:
            await page.load()
            async with page.following() as events:
                _, last = await page.say(REFUSED)
                said.append(last["id"])
                replies = [(await events.room("reply"))["thread"] for _ in said]
                # whatever came twice would stand before the next message's answer
                _, quiet = await page.say("Lunch?")
                seen = []
                while (event := (await events.next())[1]).get("id") != quiet["id"] or event["kind"] != "mark":
                    seen.append(event.get("kind"))

    assert sorted(replies) == sorted(said)
    assert "reply" not in seen


async def test_a_bot_whose_log_cannot_be_written_answers_all_the_same(tmp_path, full):
    with a_process(tmp_path, "serve", "--port", "0", stderr=full) as (process, url):
        async with a_page(url) as page:
            await page.load()
            async with page.following() as events:
                await page.say(REFUSED)
                reply = await events.room("reply")
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.communicate, timeout=PATIENCE_S)

    assert reply["card"]["badges"] == ["certain"]
    assert process.returncode == 0


async def test_the_sample_is_answered_for_its_release_gpu_and_model(tmp_path):
    with a_process(tmp_path, "demo", "--no-browser", "--port", "0") as (_, url):
        async with a_page(url) as page:
            await page.load()
            async with page.following() as events:
                await page.say(page.boot["sample"], channel=page.boot["channels"][0])
                card = (await events.room("reply"))["card"]

        (fields,) = [part for part in card["sections"][0]["parts"] if part["part"] == "fields"]
        values = " ".join(field["value"] for field in fields["fields"])
        assert card["badges"] == ["certain"]
        assert all(word in values for word in ("0.11.2", "H100", "Qwen/Qwen3-VL-8B-Instruct"))


async def test_a_link_from_the_terminal_signs_in_to_the_serving_bot(tmp_path):
    anywhere = {"VLLM_DIAGNOSE_CONSOLE__HOST": "::", "VLLM_DIAGNOSE_CONSOLE__PORT": "0"}
    with a_process(tmp_path, "serve", **anywhere) as (_, url):
        ran = await asyncio.to_thread(_run, tmp_path, "login")
        link = ran.stdout
        async with a_page(url) as page:
            before, _ = await page.load()
            await page.post("/login", data={"token": link.strip().partition("token=")[2]})
            after, _ = await page.load()

        assert link.startswith(url)
        assert (before, after) == (401, 200)


async def test_health_and_readiness_are_told(tmp_path):
    with a_process(tmp_path, "serve", "--port", "0") as (process, url):
        async with a_page(url) as page:
            healthy, _ = await page.load("/healthz")
            first, _ = await page.load("/readyz")
            ready = first
            while ready != 200 and process.poll() is None:
                ready, _ = await page.load("/readyz")

        assert healthy == 200
        assert first in {200, 503}
        assert ready == 200


def test_a_worker_ends_when_its_bot_is_killed(tmp_path):
    with a_process(tmp_path, "serve", "--port", "0") as (process, _):
        workers = []
        while not workers and process.poll() is None:
            workers = [os.pidfd_open(pid) for pid in _children(process.pid)]

        process.kill()
        process.wait()

        assert workers
        assert all(_has_ended(one) for one in workers)


def test_a_taken_port_is_told_in_one_sentence(tmp_path):
    with a_process(tmp_path / "one", "serve", "--port", "0") as (_, url):
        port = url.rpartition(":")[2]

        second = _run(tmp_path / "two", "serve", "--port", port)

        assert second.returncode == 69
        assert port in second.stderr
        assert second.stderr.count("\n") == 1


def test_login_without_a_bot_says_what_to_start(tmp_path):
    result = _run(tmp_path, "login")

    assert result.returncode == 69
    assert "vllm-diagnose serve" in result.stderr
