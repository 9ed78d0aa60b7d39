"""Asks the judge of `helper/judge` with another Python's vLLM, on this machine. Not for what to make of its answer."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from adapters.hosts.errors import JudgeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PROGRAM: Final = Path(__file__).with_name("helper") / "judge" / "outside.py"
#: what the judge needs beyond the time it gives to vLLM
_GRACE_S: Final = 30.0


def judge_launch(
    python: str, arguments: Sequence[str], env: Mapping[str, str], timeout_s: float
) -> dict[str, Any]:
    """Return what the judge prints of a launch: facts and a verdict. It gets `env` and nothing of ours.

    Raises `JudgeError` when that is no Python, or no answer comes.
    """
    order = json.dumps({"arguments": list(arguments), "env": dict(env), "timeout_s": timeout_s})
    try:
        done = subprocess.run(
            [python, "-I", str(_PROGRAM)],
            input=order.encode(),
            capture_output=True,
            timeout=timeout_s + _GRACE_S,
            check=False,
            env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        )
        answer = json.loads(done.stdout)
    except OSError as error:
        raise JudgeError(
            f"{python} cannot be run: {error.strerror}; name the Python that has vLLM"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise JudgeError(
            f"{python} gave no answer in time; ask it again when the machine is less busy"
        ) from error
    except (ValueError, RecursionError) as error:
        raise JudgeError(
            f"{python} is not a Python that has vLLM; name the one that starts the server"
        ) from error
    if (
        not isinstance(answer, dict)
        or not isinstance(answer.get("verdict"), dict)
        or _has_none(answer["verdict"])
    ):
        raise JudgeError(f"{python} is not a Python that has vLLM; name the one that starts the server")
    return answer


def _has_none(verdict: dict[str, Any]) -> bool:
    """Tell whether a judge found no vLLM at all, which is no verdict on a launch."""
    said = (verdict.get("outcome"), verdict.get("stage"), verdict.get("kind"))
    return said == ("undecided", "import", "ModuleNotFoundError")
