"""What a preflight did not look at, and settings that are announced to go. Not for faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.preflight.checks.arithmetic import SIZE
from rules.engine.preflight.checks.environment.backend_variable import FLAG, VARIABLE
from rules.engine.preflight.checks.lengths import LENGTH
from rules.engine.preflight.findings import Remark, RemarkKind
from rules.engine.preflight.reading.config_file import named_config
from rules.engine.preflight.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.engine.preflight.case import Case
    from rules.engine.preflight.reading.launch import Launch
    from rules.engine.preflight.setting import Known
    from rules.engine.remedy.words import Words

#: flags whose value only the model's configuration can judge
_OF_MODEL = (SIZE, LENGTH)
_MOST_NAMED = 6


def remarks(launch: Launch, known: Known, cases: Sequence[Case], words: Words) -> Iterator[Remark]:
    """Yield the remarks on one launch."""
    newest = cases[-1] if cases else None
    if newest is None:
        return
    asked = [one for one in (FLAG, VARIABLE) if newest.parsed.option(one) or newest.env(one)]
    if asked and known.machine.compute_capability is None and known.machine.platform in {None, "cuda"}:
        yield _unchecked("gpu", words, setting=asked[0])
    of_model = [flag for flag in _OF_MODEL if newest.parsed.option(flag)]
    if of_model and known.model_config is None:
        yield _unchecked("model", words, setting=", ".join(of_model))
    name = named_config(launch)
    if name is not None and name not in known.config_files:
        yield _unchecked("config-file", words, file=shown("--config", name))
    if launch.unresolved:
        parts = ", ".join(shown("", part) for part in launch.unresolved[:_MOST_NAMED])
        yield _unchecked("unresolved", words, parts=parts)
    if len(cases) == 1:
        yield from _deprecated(newest, words)


def dropped_gpu(text: str | None, words: Words) -> Iterator[Remark]:
    """Yield the remark on a GPU's name that means nothing."""
    if text is not None:
        values = {"given": shown("", text)}
        yield Remark(RemarkKind.DROPPED_INPUT, words.say("preflight.note.gpu-unreadable", values))


def _unchecked(name: str, words: Words, **values: str) -> Remark:
    return Remark(RemarkKind.NOT_CHECKED, words.say(f"preflight.note.{name}", values))


def _deprecated(case: Case, words: Words) -> Iterator[Remark]:
    """Yield the settings that work in the release and that it announces to drop."""
    flags = {option.flag.name: option.flag.deprecated for option in case.parsed.options}
    found = {name: case.release.variable(name) for name in case.launch.env}
    variables = {name: one.deprecated for name, one in found.items() if one is not None}
    for name, said in {**flags, **variables}.items():
        if said:
            values = {"setting": name, "release": f"vLLM {case.version}"}
            yield Remark(RemarkKind.DEPRECATED, words.say("preflight.note.deprecated", values))
