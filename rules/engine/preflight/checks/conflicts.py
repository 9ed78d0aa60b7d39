"""Settings that need or exclude each other, and the model's place on the command line. Not for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case


@dataclass(frozen=True, slots=True)
class Need:
    """A switch that must not stand without another flag."""

    switch: str
    needs: str
    rule: str
    failure_class: str
    #: what vLLM prints, where a rule of the catalogue knows it
    printed: str | None = None


#: from `validate_parsed_serve_args` and `ParallelConfig`, in every release that has both flags
_NEEDS = (
    Need(
        "--enable-auto-tool-choice",
        "--tool-call-parser",
        "tool-flags-missing",
        "tool-choice-flags-missing",
        "TypeError: Error: --enable-auto-tool-choice requires --tool-call-parser",
    ),
    Need("--enable-reasoning", "--reasoning-parser", "preflight-needs-flag", "cli-arg-invalid"),
    Need("--enable-log-outputs", "--enable-log-requests", "preflight-needs-flag", "cli-arg-invalid"),
    Need("--enable-eplb", "--enable-expert-parallel", "preflight-needs-flag", "dp-ep-startup"),
)
#: up to here `vllm serve` refuses a model by `--model` (vllm/utils, `FlexibleArgumentParser.parse_args`)
_MODEL_BY_FLAG = Version("0.11.1")
#: up to here it takes no launch without a model (vllm/entrypoints/cli/serve.py)
_MODEL_MAY_LACK = Version("0.8.3")


def check(case: Case) -> Iterator[Fault]:
    """Yield settings that stop the start although each of them is right."""
    for need in _NEEDS:
        if case.parsed.is_on(need.switch) and not _is_given(case, need.needs):
            yield _missing(case, need)
    yield from _loras(case)
    yield from _model(case)


def _is_given(case: Case, name: str) -> bool:
    flag = case.release.flag(name)
    if flag is None:
        # the release does without it
        return True
    if flag.type == "bool":
        return bool(case.parsed.is_on(name))
    option = case.parsed.option(name)
    return option is not None and option.values not in {(), ("",)}


def _missing(case: Case, need: Need) -> Fault:
    flag = case.release.flag(need.needs)
    edits = [
        Edit(
            "drop-flag",
            FixKind.DROP_FLAG,
            "fix.drop-flag",
            Change(flags_unset=(need.switch,)),
            {"removed": need.switch},
        )
    ]
    if flag is not None and flag.type == "bool":
        said = {"setting": need.needs}
        change = Change(flags_set={need.needs: ""})
        edits.insert(0, Edit("other-flag", FixKind.SET_FLAG, "fix.set-flag.switch", change, said))
    values = {"flag": need.switch, "needs": need.needs}
    return Fault(
        need.rule,
        need.failure_class,
        Severity.BLOCKS_START,
        "needs-flag",
        need.switch,
        values,
        tuple(edits),
        need.printed,
    )


def _loras(case: Case) -> Iterator[Fault]:
    most, kept = case.number("--max-loras"), case.number("--max-cpu-loras")
    if not case.parsed.is_on("--enable-lora") or most is None or kept is None or not 0 < kept < most:
        return
    values = {"kept": str(kept), "most": str(most)}
    change = Change(flags_set={"--max-cpu-loras": str(most)})
    edit = Edit(
        "as-many",
        FixKind.SET_FLAG,
        "fix.set-flag",
        change,
        {"setting": "--max-cpu-loras", "value": str(most)},
    )
    yield Fault(
        "preflight-loras",
        "lora-adapter-rejected",
        Severity.BLOCKS_START,
        "loras",
        "--max-cpu-loras",
        values,
        (edit,),
    )


def _model(case: Case) -> Iterator[Fault]:
    if not case.launch.is_serve or case.launch.image is not None:
        # an image may start another program with the same words
        return
    if case.parsed.model_by_flag and case.version < _MODEL_BY_FLAG:
        values = {"model": shown("--model", case.parsed.model or "")}
        yield Fault(
            "preflight-model-by-flag",
            "cli-arg-invalid",
            Severity.BLOCKS_START,
            "model-by-flag",
            "--model",
            values,
        )
    elif case.parsed.model is None and case.version < _MODEL_MAY_LACK and not case.parsed.problems:
        yield Fault("preflight-no-model", "cli-arg-invalid", Severity.BLOCKS_START, "no-model", "model")
