"""Whoever asks is always answered; unasked, only what is plainly an incident is."""

import itertools

import pytest

from adapters.chat.interface import Card, Person, Trigger
from bot.triage.looking.outcome import Outcome
from bot.triage.policy import deserves_answer, improves, is_heard
from rules.engine.report import Status


def an_outcome(status, *, vllm=True):
    return Outcome(status, "f1", Card("A title", "A title."), "A title", "en", is_plainly_vllm=vllm)


@pytest.mark.parametrize("trigger", [Trigger.MENTION, Trigger.COMMAND, Trigger.FORM, Trigger.SHORTCUT])
@pytest.mark.parametrize(("status", "vllm"), list(itertools.product(Status, [True, False])))
def test_whoever_asks_is_answered_whatever_it_is(trigger, status, vllm):
    assert deserves_answer(an_outcome(status, vllm=vllm), trigger)


@pytest.mark.parametrize("trigger", [Trigger.SAID, Trigger.EDITED])
@pytest.mark.parametrize(
    ("status", "vllm", "answered"),
    [
        (Status.DIAGNOSED, True, True),
        (Status.DIAGNOSED, False, True),
        (Status.NEED_MORE, True, True),
        (Status.UNKNOWN, True, True),
        (Status.UNKNOWN, False, False),
        (Status.NOT_AN_INCIDENT, True, False),
        (Status.NOT_AN_INCIDENT, False, False),
    ],
)
def test_unasked_only_incidents_are_answered(trigger, status, vllm, answered):
    assert deserves_answer(an_outcome(status, vllm=vllm), trigger) is answered


def test_bots_are_heard_only_from_the_list():
    alerts = Person("B1", "Alertmanager", is_bot=True)

    assert is_heard(Person("U1", "Ada"), frozenset())
    assert not is_heard(alerts, frozenset())
    assert is_heard(alerts, frozenset({"B1"}))


@pytest.mark.parametrize(
    ("new", "old", "better"),
    [
        (Status.DIAGNOSED, "need-more", True),
        (Status.DIAGNOSED, "diagnosed", True),
        (Status.UNKNOWN, "need-more", True),
        (Status.UNKNOWN, "diagnosed", False),
        (Status.NEED_MORE, "diagnosed", False),
        (Status.NOT_AN_INCIDENT, "need-more", False),
    ],
)
def test_a_card_is_only_replaced_by_a_better_one(new, old, better):
    assert improves(an_outcome(new), old) is better
