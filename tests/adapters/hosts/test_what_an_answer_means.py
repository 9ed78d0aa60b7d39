"""What a helper's end and its reply mean: an answer, a refusal, a fault that a person has to mend, or not known."""

import json

import pytest

from adapters.hosts.client import HelperHost
from adapters.hosts.errors import (
    BrokenHostError,
    DefiniteError,
    OutcomeUnknownError,
    RefusalCode,
    RefusedError,
)
from adapters.hosts.helper import refusal
from adapters.hosts.records import ProbeAnswer, ProbeKind
from adapters.hosts.transport.local import judged
from adapters.hosts.wire import record_of

#: to a question about health
ANSWER = {"kind": "health", "status": 200, "body": "", "seconds": 0.1, "trouble": ""}


def reply(**values):
    return json.dumps({"protocol": 1, "ok": True, "result": ANSWER, **values}).encode()


def refused(code, **values):
    error = {"code": code, "what": "it will not", "next_step": "mend it", **values}
    return reply(ok=False, error=error)


def test_a_whole_answer_is_the_answer():
    assert record_of("gpu1", reply(), ProbeAnswer).kind is ProbeKind.HEALTH


@pytest.mark.parametrize("code", list(RefusalCode))
def test_each_refusal_is_told_by_its_code(code):
    with pytest.raises(RefusedError) as caught:
        record_of("gpu1", refused(code.value), ProbeAnswer)

    assert (caught.value.code, caught.value.what, caught.value.next_step) == (code, "it will not", "mend it")


def test_the_helper_s_codes_are_all_known_here():
    codes = {value for name, value in vars(refusal).items() if name.isupper() and isinstance(value, str)}

    assert codes == {code.value for code in RefusalCode}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"Welcome to gpu1!\n", "no helper"),
        (b"{}", "no helper"),
        (reply()[:-5], "no helper"),
        (reply(protocol=2), "speaks protocol 2"),
        (refused("tired"), "refused: it will not"),
        (reply(ok=False), "did not say why"),
        (reply(result={"kind": "health"}), "is no ProbeAnswer"),
        (reply(result=None), "is no ProbeAnswer"),
    ],
)
def test_a_reply_that_is_none_of_ours_is_a_fault_to_mend(answer, said):
    with pytest.raises(BrokenHostError, match=said) as caught:
        record_of("gpu1", answer, ProbeAnswer)

    assert caught.value.next_step
    assert isinstance(caught.value, DefiniteError)


class Carrier:
    """Meets `Transport`; brings back the same reply, whatever was asked."""

    def __init__(self, carried: bytes) -> None:
        self._carried = carried

    async def run(self, request: bytes, deadline_seconds: float) -> bytes:
        return self._carried

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("kinds", [(ProbeKind.TEXT,), (ProbeKind.HEALTH, ProbeKind.TEXT)])
async def test_answers_to_other_questions_than_were_asked_are_no_answers(kinds):
    host = HelperHost("gpu1", Carrier(reply(result={"answers": [ANSWER]})))

    assert await host.probe("qwen", (ProbeKind.HEALTH,), "m", 1.0) == (ProbeAnswer(**ANSWER),)
    with pytest.raises(BrokenHostError, match="other questions"):
        await host.probe("qwen", kinds, "m", 1.0)


@pytest.mark.parametrize(
    ("code", "told", "said"),
    [
        (0, b"", "ended with code 0"),
        (1, b"sudo: a password is required", "sudo: a password is required"),
        (1, b"Traceback (most recent call last):\n  KeyError: 'x'", "KeyError"),
        (2, b"python3: can't open file '/opt/helper.pyz'", "can't open file"),
        (1, b"This account is currently not available.", "not available"),
        (64, b"usage: helper serve-request", "code 64"),
        (126, b"Permission denied", "the helper is not there"),
        (127, b"not found", "the helper is not there"),
    ],
)
def test_a_helper_that_ends_by_itself_without_a_word_is_a_fault_to_mend(code, told, said):
    with pytest.raises(BrokenHostError, match=said) as caught:
        judged("gpu1", b"", code, told)

    assert caught.value.next_step


@pytest.mark.parametrize("code", [None, -9, -15, -1, 137, 143, 255])
@pytest.mark.parametrize("half", [b"", reply()[:20]])
def test_a_helper_that_was_cut_short_leaves_it_open_what_it_did(code, half):
    with pytest.raises(OutcomeUnknownError):
        judged("gpu1", half, code, b"")
