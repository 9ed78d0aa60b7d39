"""`vllm-diagnose watch --channel`: what it leaves in the store for the bot, over its own deaths too."""

import json
import os
import signal
import sqlite3
from contextlib import closing

import pytest

from tests.bot.cli.followed import watching
from tests.bot.cli.running import process
from tests.bot.cli.test_watch_command import HEALTHY, OTHER, SAMPLE, VERDICT, grow


class Store:
    """The store that `watch` raises in."""

    def __init__(self, folder):
        self.file = folder / "store.db"
        self.environment = {
            "VLLM_DIAGNOSE_STATE_DIR": str(folder),
            "VLLM_DIAGNOSE_STORE__URL": f"sqlite+aiosqlite:///{self.file}",
        }

    def watching(self, *arguments):
        return watching("--channel", "console:incidents", *arguments, **self.environment)

    def raised(self):
        with closing(sqlite3.connect(self.file)) as connection:
            rows = connection.execute(
                "SELECT kind, platform, channel, payload FROM inbox ORDER BY received_at"
            )
            return [(*row, json.loads(payload)) for *row, payload in rows]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "vllm.log"
    path.write_bytes(HEALTHY)
    return path


def test_a_failure_waits_in_the_store_for_the_bot_and_that_is_said(store, log):
    with store.watching("--gpu", "H100", log) as found:
        grow(log, SAMPLE)
        said = found.hears("raised in console:incidents: " + VERDICT, beside=True)
        code, out, _ = found.ends(signal.SIGTERM)

    ((kind, platform, channel, payload),) = store.raised()
    assert (code, out, len(said)) == (0, "", 1)
    assert (kind, platform, channel) == ("raised", "console", "incidents")
    assert payload["fields"] == {"gpu": "H100"}
    assert payload["author"]["name"].endswith(str(log))
    assert "does not support AttentionBackendEnum.FLASHINFER" in payload["text"]


def test_a_restart_loop_is_raised_once(store, log):
    with store.watching(log) as found:
        for _ in range(5):
            grow(log, SAMPLE)
        found.hears("5 starts ended with this failure", beside=True)

    assert len(store.raised()) == 1


def test_what_was_raised_before_a_kill_is_not_raised_after_it_and_what_grew_meanwhile_is(store, log):
    with store.watching(log) as found:
        grow(log, SAMPLE)
        found.hears("raised in", beside=True)
        found.ends(signal.SIGKILL)
    grow(log, SAMPLE)
    grow(log, OTHER)
    with store.watching(log) as found:
        said = found.hears("the flux", beside=True)

    assert any("2 starts ended with this failure" in line for line in said)
    assert len(store.raised()) == 2


def test_a_kill_between_raising_and_remembering_raises_nothing_twice(store, log):
    with store.watching(log) as found:
        found.ends(signal.SIGTERM)
    grow(log, SAMPLE)
    with store.watching(log) as found:
        found.hears("raised in", beside=True)
        found.ends(signal.SIGKILL)
    with closing(sqlite3.connect(store.file)) as connection, connection:
        connection.execute(
            "UPDATE notes SET value = json_set(value, '$.raised', json('{}'), '$.mark.offset', 0)"
        )
    with store.watching(log) as found:
        found.hears("raised before in console:incidents", beside=True)

    assert len(store.raised()) == 1


def test_a_log_that_was_rotated_while_nobody_watched_is_read_from_its_beginning(store, log):
    with store.watching(log) as found:
        found.ends(signal.SIGTERM)
    log.rename(log.with_suffix(".1"))
    log.write_bytes(OTHER)
    with store.watching(log) as found:
        found.hears("raised in", beside=True)

    assert len(store.raised()) == 1


def test_an_incident_of_standard_input_is_raised_once_however_often_it_is_piped_in(store):
    outcomes = [
        process("watch", "--channel", "console:incidents", "-", stdin=SAMPLE, **store.environment)
        for _ in "ab"
    ]

    assert [b"raised before" in one.stderr for one in outcomes] == [False, True]
    assert len(store.raised()) == 1


def test_secrets_and_foreign_variables_never_reach_the_store(store, log, tmp_path):
    token = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"[:32]
    variables = tmp_path / "env"
    variables.write_text(
        f"HF_TOKEN={token}\nDB_URL=postgresql://me:hush@db/x\nVLLM_ATTENTION_BACKEND=FLASHINFER\n"
    )
    with store.watching("--env-file", variables, "--command", f"HF_TOKEN={token} vllm serve m", log) as found:
        grow(log, OTHER.replace(b"the flux", b"the token " + token.encode()))
        found.hears("raised in", beside=True)

    data = b"".join(path.read_bytes() for path in tmp_path.glob("store.db*"))
    assert token.encode() not in data
    assert b"hush" not in data
    assert b"export VLLM_ATTENTION_BACKEND=FLASHINFER" in data
    assert b"vllm serve m" in data


def test_json_tells_programs_what_is_raised(store, log):
    with store.watching("--json", "--once", log) as found:
        grow(log, OTHER)
        code, out, _ = found.ends()

    assert code == 3
    assert json.loads(out)["status"] == "unknown"


def test_without_a_bot_on_this_machine_that_is_said(store, log):
    with watching("--channel", "console:incidents", log, is_ready=False, **store.environment) as found:
        found.hears("waits in the store until one does", beside=True)


@pytest.mark.parametrize(
    ("channel", "code", "words"),
    [
        ("incidents", 64, "names no channel"),
        ("irc:vllm", 64, "names no channel"),
        ("console:", 64, "names no channel"),
        ("console:secret", 77, "not among the channels"),
        ("slack:C1", 69, "does not go to Slack"),
        ("discord:1", 69, "does not go to Discord"),
    ],
)
def test_a_channel_that_cannot_be_raised_in_is_one_sentence(store, log, channel, code, words):
    result = process("watch", "--channel", channel, str(log), **store.environment)

    assert (result.returncode, result.stderr.count(b"\n")) == (code, 1)
    assert words in result.stderr.decode()


def test_a_channel_that_the_settings_do_not_list_is_refused(store, log):
    more = {
        "VLLM_DIAGNOSE_SLACK__BOT_TOKEN": "xoxb-1",
        "VLLM_DIAGNOSE_SLACK__APP_TOKEN": "xapp-1",
        "VLLM_DIAGNOSE_SLACK__CHANNELS": '["C1"]',
    }
    result = process("watch", "--channel", "slack:C2", str(log), **store.environment, **more)

    assert result.returncode == 77


def test_a_store_that_does_not_answer_is_one_sentence(log, tmp_path):
    environment = {
        "VLLM_DIAGNOSE_STATE_DIR": str(tmp_path),
        "VLLM_DIAGNOSE_STORE__URL": "sqlite+aiosqlite:////proc/nowhere/store.db",
    }
    result = process("watch", "--channel", "console:incidents", str(log), **environment)

    assert (result.returncode, result.stderr.count(b"\n")) == (69, 1)
    assert os.fsencode("the store") in result.stderr
