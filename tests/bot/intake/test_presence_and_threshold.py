"""Who is alive on this machine, and what is looked at on a platform."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from adapters.chat.interface import IncomingMessage, MessageRef, Person, Place, Trigger
from bot.intake.presence import Presence
from bot.intake.threshold import Admission

_HOLD = (
    "import sys, pathlib; from bot.intake.presence import Presence\n"
    "with Presence(pathlib.Path(sys.argv[1]), 'other').held():\n"
    "    print('held', flush=True); sys.stdin.read()\n"
)


def _message(trigger=Trigger.SAID, *, channel="C1", author="U1", is_bot=False):
    place = Place("slack", "T1", channel)
    return IncomingMessage(
        MessageRef(place, "1.1"), Person(author, author, is_bot), "text", trigger, datetime.now(UTC), ("k",)
    )


def test_a_process_that_was_killed_is_gone_and_one_that_lives_is_not(tmp_path):
    me = Presence(tmp_path, "me")
    with me.held():
        other = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            other.stdout.readline()
            while_alive = me.gone()
        finally:
            other.kill()
            other.communicate()

        assert while_alive == []
        assert me.gone() == ["other"]
        me.forget("other")
        assert me.gone() == []


@pytest.mark.parametrize("trigger", [one for one in Trigger if one.is_asking])
def test_whoever_asks_is_heard_everywhere(trigger):
    admission = Admission(hears_channels=False, channels=frozenset({"C9"}))

    assert admission.admits(_message(trigger))


@pytest.mark.parametrize(
    ("admission", "is_heard"),
    [
        (Admission(), True),
        (Admission(hears_channels=False), False),
        (Admission(channels=frozenset({"C1"})), True),
        (Admission(channels=frozenset({"C2"})), False),
    ],
)
def test_what_is_said_to_nobody_is_heard_where_the_settings_say(admission, is_heard):
    assert admission.admits(_message()) is is_heard


def test_bots_are_heard_only_from_the_list():
    admission = Admission(allowed_bots=frozenset({"B1"}))

    assert admission.admits(_message(author="B1", is_bot=True))
    assert not admission.admits(_message(Trigger.MENTION, author="B2", is_bot=True))
