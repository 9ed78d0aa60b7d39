"""When to answer and when to keep quiet. Pure. Not for what the answer says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Trigger
from rules.engine.report import Status

if TYPE_CHECKING:
    from adapters.chat.interface import Person
    from bot.triage.looking.outcome import Outcome


def is_heard(author: Person, allowed_bots: frozenset[str]) -> bool:
    """Tell whether what somebody says is looked at: people always, bots only when they are on the list."""
    return not author.is_bot or author.id in allowed_bots


def deserves_answer(outcome: Outcome, trigger: Trigger) -> bool:
    """Tell whether an outcome is said aloud.

    Whoever asks is always answered. Unasked, only incidents are; a failure that no rule knows is one only
    when it is plainly vLLM's.
    """
    if trigger.is_asking:
        return True
    if trigger is Trigger.WATCHED:
        # somebody chose this log because it is vLLM's
        return outcome.status is not Status.NOT_AN_INCIDENT
    if outcome.status is Status.UNKNOWN:
        return outcome.is_plainly_vllm
    return outcome.status is not Status.NOT_AN_INCIDENT


def improves(new: Outcome, old_status: str) -> bool:
    """Tell whether a later message in a thread gives reason to bring its card up to date."""
    if new.status is Status.NOT_AN_INCIDENT:
        return False
    return new.status is Status.DIAGNOSED or old_status != Status.DIAGNOSED
