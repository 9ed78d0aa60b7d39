"""The doctor looks at the registry of hosts and the journal's key, and connects to no host."""

from datetime import UTC, datetime

from bot.audit.entry import Entry, Stage
from bot.audit.keys import read_keys
from bot.bootstrap import examine
from bot.relaunch.acts.switching import SwitchedOff
from bot.settings import FixedSettings, RelaunchSettings
from bot.store.database import open_database
from bot.store.journal import SqlJournal
from bot.store.relaunches.kill_switch import SqlKillSwitch
from tests.bot.hosts.registry_text import WHOLE


def settings_for(folder, text):
    file = folder / "hosts.yaml"
    file.write_text(text)
    return FixedSettings(state_dir=folder, relaunch=RelaunchSettings(registry=file))


async def test_without_a_registry_hosts_are_not_set_up(tmp_path):
    assert (await examine(FixedSettings(state_dir=tmp_path)))["hosts"] is None


async def test_a_faulty_registry_is_told_with_file_and_line(tmp_path):
    found = await examine(settings_for(tmp_path, WHOLE.replace("port: 8000", "port: x")))

    assert any("hosts.yaml:" in fault and "port must be a whole number" in fault for fault in found["hosts"])


async def test_what_would_keep_a_host_from_being_used_is_told(tmp_path):
    found = await examine(settings_for(tmp_path, WHOLE.replace("2027-06-30", "2020-01-01")))

    assert any(fault.startswith("gpu1: the entry expired on 2020-01-01") for fault in found["hosts"])


async def test_a_journal_key_that_others_can_read_is_told(tmp_path):
    settings = settings_for(tmp_path, WHOLE)
    await examine(settings)
    settings.journal_key_file.chmod(0o644)

    assert "can be read by others" in (await examine(settings))["hosts"][0]


async def test_that_relaunching_is_switched_off_is_told_with_what_lifts_it(tmp_path):
    settings = settings_for(tmp_path, WHOLE)
    assert not any("switch" in fault for fault in (await examine(settings))["hosts"])
    now = datetime(2026, 12, 1, 3, 12, tzinfo=UTC)
    database = await open_database(settings.store_url)
    try:
        switch = SqlKillSwitch(database, SqlJournal(database, read_keys(settings.journal_key_file, {})))
        entry = Entry(now, Stage.DECISION, "switch", "os:ada", "allowed")
        await switch.turn_off(SwitchedOff("os:ada", now, "it burns"), entry)
    finally:
        await database.close()
    off = settings.model_copy(update={"relaunch": settings.relaunch.model_copy(update={"enabled": False})})

    kept, both = (await examine(settings))["hosts"], (await examine(off))["hosts"]

    said = "Relaunching was switched off by os:ada at 03:12 UTC on 2026-12-01: it burns."
    assert kept[-1] == f"{said} `vllm-diagnose relaunch switch on` lifts that."
    assert both[-2:][0] == kept[-1]
    assert "relaunch.enabled is false" in both[-1]
