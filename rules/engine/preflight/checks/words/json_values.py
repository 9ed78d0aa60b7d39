"""JSON that a shell, YAML or a hand broke, with the JSON that was meant. Not for what the keys mean."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.reading.options import Option, ProblemKind
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

CLASS = "cli-json-arg-invalid"
KEY_CLASS = "cli-arg-invalid"
#: from here on every configuration class refuses a key that it does not have (`@config`, vllm/config/utils.py)
KEYS_ARE_CHECKED = Version("0.20.0")
#: before, these releases took `image=2` for `{"image": 2}`, or a number for a level (vllm/engine/arg_utils.py)
_WORDS_ARE_REFUSED = Version("0.10.1")
_OBJECTS_ARE_WANTED = Version("0.10.2")
#: flags that take another text than JSON, too
OTHER_TEXTS = frozenset(
    {"--additional-config", "--hf-overrides", "--model-loader-extra-config", "--pt-load-map-location"}
)
#: flags whose keys are looked at later than by the parser
LATER = frozenset({"--diffusion-config", "--speculative-config", "--watermark-config"})
_ADAPTERS = "--lora-modules"
#: a longer value is no setting that anybody wrote by hand
_LONGEST = 4000
#: `80m` outside quotes is a number to newer releases
_SUFFIXED = re.compile(r"(?<=[:\s,\[])(\d+(?:\.\d+)?)[kKmMgGtT](?=\s*[,}\]])")
_CURLED = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
#: a bare word where JSON wants a quoted one
_BARE = re.compile(r"(?<=[{,:\[])\s*([A-Za-z_][A-Za-z0-9_./-]*)\s*(?=[,:}\]])")
_WORDS = {"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each value that was meant as JSON and is none."""
    for option in case.parsed.options:
        if option.flag.name == _ADAPTERS:
            yield from _adapters(case, option)
        elif (
            option.flag.type == "json" and not option.is_key and len(option.values) == 1 and case.read(option)
        ):
            yield from _whole(case, option, option.values[0])


def _whole(case: Case, option: Option, value: str) -> Iterator[Fault]:
    if not is_json(value):
        plain = case.version >= _WORDS_ARE_REFUSED and option.flag.name not in OTHER_TEXTS
        if _looks_like_json(value) or (plain and value not in {"", "None"}):
            yield _fault(case, option, stray_words(case, option))
    elif case.version >= _OBJECTS_ARE_WANTED and _is_object(case, option.flag.name):
        if not value.strip().startswith(("{", "n")):
            yield _fault(case, option, ())
        elif case.version >= KEYS_ARE_CHECKED:
            yield from _unknown_keys(case, option)


def _is_object(case: Case, name: str) -> bool:
    """Tell whether a flag takes an object of one configuration class, and nothing else."""
    if name in OTHER_TEXTS or name in LATER or case.release.flag(f"{name}.a-key-of-any-name") is not None:
        return False
    return any(key.name.startswith(f"{name}.") for key in case.release.dotted_flags())


def _adapters(case: Case, option: Option) -> Iterator[Fault]:
    """Yield the adapter that is neither `name=path` nor JSON."""
    for value in case.read(option):
        if value and ("=" not in value or "," in value) and not is_json(value):
            yield _fault(case, option, ())
            return


def _unknown_keys(case: Case, option: Option) -> Iterator[Fault]:
    """Yield the keys that the configuration class of a flag does not have, where it refuses them."""
    name = option.flag.name
    for key in _keys(option.values[0]):
        if case.release.flag(f"{name}.{key}") is None:
            values = {"flag": shown(name, key), "parent": name}
            yield Fault(
                "preflight-unknown-key",
                KEY_CLASS,
                Severity.BLOCKS_START,
                "unknown-key",
                f"{name}.{key}",
                values,
            )


def _keys(text: str) -> list[str]:
    try:
        found = json.loads(_SUFFIXED.sub("0", text))
    except (ValueError, RecursionError):
        return []
    return [str(key) for key in found] if isinstance(found, dict) else []


def _looks_like_json(value: str) -> bool:
    return value.strip().translate(_CURLED)[:1] in {"{", "[", '"', "'"}


def is_json(value: str) -> bool:
    """Tell whether a text is JSON as vLLM reads it."""
    if len(value) > _LONGEST * 16:
        return True
    try:
        json.loads(_SUFFIXED.sub("0", value))
    except (ValueError, RecursionError):
        return False
    return True


def stray_words(case: Case, option: Option) -> tuple[str, ...]:
    """Return the words that belong to a value which was split: those behind it, up to the closing bracket."""
    value = option.values[0]
    if value.count("{") + value.count("[") <= value.count("}") + value.count("]"):
        return ()
    words = case.launch.words
    place = next((at for at, word in enumerate(words) if word == value or word.endswith(f"={value}")), None)
    if place is None:
        return ()
    depth = 0
    found: list[str] = []
    for word in words[place:]:
        text = value if not found else word
        found.append(word)
        depth += text.count("{") + text.count("[") - text.count("}") - text.count("]")
        if depth <= 0:
            return tuple(found[1:])
    return ()


def broken_words(case: Case) -> frozenset[str]:
    """Return all words that belong to JSON which was split, so that they are no faults of their own."""
    if not any(problem.kind is ProblemKind.EXTRA_WORD for problem in case.parsed.problems):
        return frozenset()
    options = [one for one in case.parsed.options if one.flag.type == "json" and len(one.values) == 1]
    return frozenset(word for option in options for word in stray_words(case, option))


def _fault(case: Case, option: Option, stray: tuple[str, ...]) -> Fault:
    name = option.flag.name
    meant = repaired(" ".join((*option.values, *stray)))
    edits: tuple[Edit, ...] = ()
    if meant is not None:
        values = {"setting": name, "value": case.shown(option, meant)}
        change = Change(
            flags_set={name: meant}, flags_unset=(option.spelled,) if option.spelled != name else ()
        )
        edits = (Edit("one-word", FixKind.SET_FLAG, "fix.set-flag.json-whole", change, values, stray=stray),)
    return Fault(
        "flag-json-invalid",
        CLASS,
        Severity.BLOCKS_START,
        "json-split" if stray else "json-invalid",
        name,
        {"flag": option.spelled, "given": case.shown(option, option.values[0])},
        edits,
        printed=f"vllm serve: error: argument {name}: Value … cannot be converted to <function loads>.",
    )


def repaired(text: str) -> str | None:
    """Return the JSON that was meant; None when it cannot be told.

    >>> repaired("{'method': 'ngram', 'num_speculative_tokens': 3}")
    '{"method": "ngram", "num_speculative_tokens": 3}'
    >>> repaired("{method: ngram, on: true}")
    '{"method": "ngram", "on": true}'
    """
    text = text.strip().translate(_CURLED)
    if len(text) > _LONGEST:
        return None
    for candidate in (text, text.strip("'"), _BARE.sub(_quoted, text)):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(candidate)
                if isinstance(found, dict | list):
                    return json.dumps(found, ensure_ascii=False)
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
    return None


def _quoted(found: re.Match[str]) -> str:
    word = found[1]
    return f" {_WORDS.get(word, json.dumps(word))}" if word else word
