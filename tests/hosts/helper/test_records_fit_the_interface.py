"""What the helper answers has exactly the fields that the bot's side reads."""

from dataclasses import fields

from adapters.hosts import errors, records
from adapters.hosts.helper import refusal
from adapters.hosts.helper.drivers import interface as drivers
from adapters.hosts.helper.probing import questions
from adapters.hosts.helper.state import record


def names(record_type) -> set[str]:
    return {field.name for field in fields(record_type)}


def test_every_verb(host):
    preflight = host.preflight()
    started = host.start()
    status = host.serving()
    committed = host.commit()
    stopped = host.stop(run=2)

    assert set(host.ask("facts")) == names(records.HostFacts)
    assert set(preflight) == names(records.Preflight)
    assert set(preflight["checks"][0]) == names(records.Check)
    assert set(preflight["before"]) == names(records.Launch)
    assert set(started) == names(records.Started)
    assert set(status) == names(records.ServerStatus)
    assert set(status["log"]) == names(records.LogPart)
    assert set(committed) == set(host.ask("snapshot", server=host.name)) == names(records.Snapshot)
    assert set(stopped) == names(records.Stopped)
    assert set(host.restore(run=2)) == names(records.Started)
    assert set(host.probe("health")) == names(records.ProbeAnswer)


def test_the_words_are_the_same_on_both_sides():
    assert {drivers.RUNNING, drivers.EXITED, drivers.ABSENT, drivers.UNKNOWN} == set(records.RunState)
    phases = (record.IDLE, record.STOPPING, record.STOPPED, record.STARTING, record.STARTED)
    closed = (record.RESTORING, record.RESTORED, record.COMMITTED)
    assert {*phases, *closed} == set(records.Phase)
    kinds = {questions.HEALTH, questions.MODELS, questions.TEXT, questions.IMAGE}
    assert kinds == set(records.ProbeKind)
    codes = (refusal.BAD_REQUEST, refusal.NOT_ALLOWED, refusal.FENCED)
    assert {*codes, refusal.BUSY, refusal.CHANGED, refusal.UNABLE} == set(errors.RefusalCode)
