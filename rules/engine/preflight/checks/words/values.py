"""Values that a flag does not take: not of its list, no number, out of its range. Not for JSON, nor names."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from rules.engine.preflight.case import whole_number
from rules.engine.preflight.checks.words.json_values import KEYS_ARE_CHECKED, LATER, OTHER_TEXTS
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.engine.preflight.case import Case
    from rules.engine.preflight.reading.options import Option
    from rules.releases.model import Flag

CLASS = "cli-arg-invalid"
#: flags that name an attention backend; `attention` and `encoders` look at them
BACKEND_FLAGS = frozenset({"--attention-backend", "--attention-config.backend", "--mm-encoder-attn-backend"})
_HUMAN = frozenset({"human_readable_int", "human_readable_int_or_auto"})
_FLOAT = re.compile(r"\s*[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*\Z")
#: limits that no release survives the breach of, where its configuration states none
_SANE: Mapping[str, tuple[str, ...]] = {
    "--gpu-memory-utilization": (">0", "<=1"),
    "--max-num-seqs": (">=1",),
    "--max-num-batched-tokens": (">=1",),
    "--tensor-parallel-size": (">=1",),
    "--pipeline-parallel-size": (">=1",),
    "--port": (">=0", "<=65535"),
}
_MOST_LISTED = 12
#: what a configuration class takes for a switch
_SWITCH_WORDS = frozenset(
    {"true", "false", "1", "0", "yes", "no", "on", "off", "y", "n", "t", "f", "null", "none"}
)


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each value that the parser or the configuration of the release refuses."""
    for option in case.parsed.options:
        for value in case.read(option):
            if not _means_nothing(option.flag, value) and option.flag.name not in BACKEND_FLAGS:
                fault = _fault(case, option, value)
                if fault is not None:
                    yield fault
                    break


def _means_nothing(flag: Flag, value: str) -> bool:
    """Tell whether the value stands for none at all, which flags without a default take."""
    return value == "" or (value == "None" and flag.default in {None, "None"})


def _fault(case: Case, option: Option, value: str) -> Fault | None:
    flag = option.flag
    if flag.choices:
        return None if _is_choice(flag, value) else choice_fault(case, option, value, flag.choices)
    if flag.type == "bool":
        good = value.lower() in (_SWITCH_WORDS if option.is_key else {"true", "false"})
        checked = not option.is_key or _is_checked(case, option)
        return _type_fault(case, option, value) if checked and not good else None
    if option.is_key and flag.type in {"int", "float", *_HUMAN} and not _plain(value):
        # the value of a key is JSON
        return None
    number = _number(flag, value)
    if number is None:
        return _type_fault(case, option, value) if flag.type in {"int", "float", *_HUMAN} else None
    broken = [bound for bound in flag.bounds or _SANE.get(flag.name, ()) if not holds(bound, number)]
    return _range_fault(case, option, value, broken[0]) if broken else None


def _is_checked(case: Case, option: Option) -> bool:
    """Tell whether the parser itself holds a key against its configuration class."""
    parent = option.flag.name.partition(".")[0]
    return case.version >= KEYS_ARE_CHECKED and parent not in (*OTHER_TEXTS, *LATER)


def _plain(value: str) -> bool:
    return not any(sign in value for sign in '{["')


def _is_choice(flag: Flag, value: str) -> bool:
    choices = flag.choices or ()
    if flag.any_case:
        folded = value.lower().replace("-", "_")
        return any(choice.lower().replace("-", "_") == folded for choice in choices)
    if flag.type == "int":
        return value.strip() in choices or str(whole_number(value)) in choices
    return value in choices


def _number(flag: Flag, value: str) -> float | None:
    """Return the number that the converter of the flag makes of a text; None when it makes none."""
    if flag.type == "float":
        return float(value) if _FLOAT.match(value) else None
    if flag.type == "human_readable_int_or_auto" and value.strip().lower() == "auto":
        return -1
    if flag.type in _HUMAN:
        found = whole_number(value)
        return None if found is None else float(found)
    if flag.type == "int" and not value.strip()[-1:].isalpha():
        found = whole_number(value)
        return None if found is None else float(found)
    return None


def holds(bound: str, number: float) -> bool:
    """Tell whether a number keeps a limit such as `>=1`.

    >>> holds(">=1", 0), holds("<=1", 1)
    (False, True)
    """
    sign = bound[: 2 if bound[1] == "=" else 1]
    limit = float(bound[len(sign) :])
    return {
        ">=": number >= limit,
        ">": number > limit,
        "<=": number <= limit,
        "<": number < limit,
    }[sign]


def choice_fault(case: Case, option: Option, value: str, choices: tuple[str, ...]) -> Fault:
    """Return the fault of a value that is not of the list, with the nearest that is."""
    name, given = option.flag.name, case.shown(option, value)
    near = next(
        iter(get_close_matches(value.lower(), [one.lower() for one in choices], n=1, cutoff=0.6)), None
    )
    right = next((one for one in choices if one.lower() == near), None)
    edits = [use(option, right)] if right else []
    edits.append(without(option))
    return Fault(
        "flag-choice-invalid",
        CLASS,
        Severity.BLOCKS_START,
        "choice-invalid.near" if right else "choice-invalid",
        name,
        {"flag": option.spelled, "given": given, "near": right or "", "choices": listed(choices)},
        tuple(edits),
        printed=f"vllm serve: error: argument {name}: invalid choice: '{given}' (choose from …)",
    )


def listed(choices: tuple[str, ...]) -> str:
    """Return the first of many values as one text."""
    more = ", …" if len(choices) > _MOST_LISTED else ""
    return ", ".join(choices[:_MOST_LISTED]) + more


def use(option: Option, value: str) -> Edit:
    """Return the fix that gives a flag another value."""
    unset = () if option.spelled == option.flag.name else (option.spelled,)
    change = Change(flags_set={option.flag.name: value}, flags_unset=unset)
    return Edit(
        "right-value", FixKind.SET_FLAG, "fix.set-flag", change, {"setting": option.flag.name, "value": value}
    )


def without(option: Option) -> Edit:
    """Return the fix that leaves a flag out."""
    change = Change(flags_unset=(option.spelled,)) if len(option.values) < 2 else None
    return Edit("drop-flag", FixKind.DROP_FLAG, "fix.drop-flag", change, {"removed": option.spelled})


def _type_fault(case: Case, option: Option, value: str) -> Fault:
    flag, given = option.flag, case.shown(option, value)
    kind = "whole" if flag.type == "int" else "human" if flag.type in _HUMAN else flag.type
    return Fault(
        "flag-choice-invalid",
        CLASS,
        Severity.BLOCKS_START,
        f"value-invalid.{kind}",
        flag.name,
        {"flag": option.spelled, "given": given},
        (without(option),),
        printed=f"vllm serve: error: argument {flag.name}: invalid {flag.type} value: '{given}'",
    )


def _range_fault(case: Case, option: Option, value: str, bound: str) -> Fault:
    values = {"flag": option.spelled, "given": case.shown(option, value), "bound": bound}
    return Fault(
        "preflight-value-out-of-range",
        CLASS,
        Severity.BLOCKS_START,
        "value-out-of-range",
        option.flag.name,
        values,
        (without(option),),
    )
