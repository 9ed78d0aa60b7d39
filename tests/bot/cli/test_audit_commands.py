"""`audit`: a whole journal is 0, a touched one is 1 and says where, and the export is what stands in it."""

import asyncio
import json
import sqlite3

import pytest

from bot.audit.entry import Entry, Stage
from bot.audit.heads import append_line, head_line
from bot.audit.keys import read_keys
from bot.store.journal import SqlJournal
from tests.bot.cli.running import run
from tests.bot.store.kept import NOON, opened


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_STATE_DIR", str(tmp_path))
    return tmp_path


async def _written(folder, count):
    async with opened(folder) as database:
        journal = SqlJournal(database, read_keys(folder / "journal.key", {}))
        for number in range(count):
            await journal.write(
                Entry(NOON, Stage.RESULT, "stop", "os:ada", "done", relaunch=f"r{number % 2}")
            )
        return await journal.head()


def test_a_whole_journal_is_sound(state, capsys, monkeypatch):
    asyncio.run(_written(state, 3))

    outcome = run(capsys, monkeypatch, "audit", "verify")

    assert (outcome.code, outcome.out) == (0, "3 entries, whole; 0 exported heads found in it\n")


def test_an_empty_journal_is_sound(state, capsys, monkeypatch):
    assert run(capsys, monkeypatch, "audit", "verify").out.startswith("0 entries, whole")


def test_a_changed_entry_is_named(state, capsys, monkeypatch):
    asyncio.run(_written(state, 3))
    with sqlite3.connect(state / "store.db") as database:
        database.execute("UPDATE journal SET record = replace(record, 'os:ada', 'os:eve') WHERE sequence = 2")

    outcome = run(capsys, monkeypatch, "audit", "verify", "--json")

    assert outcome.code == 1
    told = json.loads(outcome.out)
    assert told["fault"] == {"entry": 2, "what": "it was changed after it was written"}


def test_a_cut_end_shows_against_exported_heads(state, capsys, monkeypatch):
    head = asyncio.run(_written(state, 3))
    heads = state / "heads"
    append_line(heads, head_line(head, NOON))
    assert run(capsys, monkeypatch, "audit", "verify", "--heads", str(heads)).out == (
        "3 entries, whole; 1 exported head found in it\n"
    )
    with sqlite3.connect(state / "store.db") as database:
        database.execute("DELETE FROM journal WHERE sequence = 3")

    assert run(capsys, monkeypatch, "audit", "verify").code == 0
    outcome = run(capsys, monkeypatch, "audit", "verify", "--heads", str(heads))
    assert outcome.code == 1
    assert outcome.out == "entry 3: entries are missing: the head of entry 3 was exported\n"


def test_a_missing_file_of_heads_is_65(state, capsys, monkeypatch):
    assert run(capsys, monkeypatch, "audit", "verify", "--heads", str(state / "none")).code == 65


def test_a_key_that_others_can_read_is_refused(state, capsys, monkeypatch):
    asyncio.run(_written(state, 1))
    (state / "journal.key").chmod(0o644)

    outcome = run(capsys, monkeypatch, "audit", "verify")

    assert outcome.code == 65
    assert "can be read by others" in outcome.err


def test_the_export_holds_every_entry_or_those_of_one_relaunch(state, capsys, monkeypatch):
    asyncio.run(_written(state, 4))

    everything = run(capsys, monkeypatch, "audit", "export").out.splitlines()
    some = run(capsys, monkeypatch, "audit", "export", "--relaunch", "r1").out.splitlines()

    assert [json.loads(line)["entry"]["sequence"] for line in everything] == [1, 2, 3, 4]
    assert [json.loads(line)["entry"]["relaunch"] for line in some] == ["r1", "r1"]
    assert all(len(json.loads(line)["mac"]) == 64 for line in everything)
