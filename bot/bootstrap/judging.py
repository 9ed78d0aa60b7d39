"""Has the vLLM of another Python on this machine judge a launch. Not for showing what it said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from adapters.hosts.errors import JudgeError
from adapters.hosts.judging import judge_launch
from bot.checking.judged import Judgement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def ask_judge(python: str, arguments: Sequence[str], env: Mapping[str, str], timeout_s: float) -> Judgement:
    """Return what that vLLM says of the words after `vllm serve`. Raises `JudgeError`."""
    answer = judge_launch(python, arguments, env, timeout_s)
    try:
        return Judgement.model_validate(answer)
    except ValidationError as error:
        raise JudgeError(
            "the judge's answer cannot be read; use the judge that came with this program"
        ) from error
