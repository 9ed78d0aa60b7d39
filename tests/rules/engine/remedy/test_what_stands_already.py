"""A fix is not offered where the launch has it already, or where it would move a number the wrong way."""

import dataclasses

import pytest
from packaging.version import Version

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import RuleHits
from rules.engine.paste.facts import Facts, Given
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.report import FixKind, Risk
from rules.engine.rule.loading import load_catalogue
from rules.engine.rule.model import ChangeTemplate, Fix, Toward
from rules.engine.seams import Case
from rules.engine.start import start_engine
from rules.releases.shipped import load_releases

CATALOGUE = load_catalogue()
SAMPLER_OFF = ChangeTemplate(env_set={"VLLM_USE_FLASHINFER_SAMPLER": "0"})
SHARE = ChangeTemplate(flags_set={"--gpu-memory-utilization": "0.85"})
SEQUENCES = ChangeTemplate(flags_set={"--max-num-seqs": "64"})
EAGER = ChangeTemplate(flags_set={"--enforce-eager": ""})


def is_offered(change: ChangeTemplate, toward: Toward | None, **now: dict[str, str]) -> bool:
    kind = FixKind.SET_ENV if change.env_set else FixKind.SET_FLAG
    fix = Fix("one", kind, ">=0.8", Risk.LOW, True, change=change, toward=toward)
    rule = dataclasses.replace(CATALOGUE.rule("out-of-memory-running"), fixes=(fix,))
    facts = Facts(vllm_version="0.20.2", **now)
    versions = (Version("0.20.2"),)
    situation = Situation(RuleHits({}), facts, {}, versions)
    case = Case(rule, {}, facts, versions, "en", situation.holds)
    return bool(RemedyAnswerer(CATALOGUE, load_releases()).answer(case).fixes)


@pytest.mark.parametrize(
    ("change", "now"),
    [
        (SAMPLER_OFF, {"env": {"VLLM_USE_FLASHINFER_SAMPLER": "0"}}),
        (SHARE, {"flags": {"--gpu-memory-utilization": "0.850"}}),
        (EAGER, {"flags": {"--enforce-eager": ""}}),
    ],
)
def test_what_is_set_so_already_is_no_fix(change, now):
    assert is_offered(change, None)
    assert not is_offered(change, None, **now)


@pytest.mark.parametrize(
    ("change", "toward", "now", "offered"),
    [
        (SHARE, Toward.LOWER, "0.95", True),
        (SHARE, Toward.LOWER, "0.8", False),
        (SHARE, Toward.HIGHER, "0.8", True),
        (SHARE, Toward.HIGHER, ".9", False),
        (SHARE, Toward.LOWER, "most of it", True),
    ],
)
def test_a_share_of_memory_is_compared_as_a_number(change, toward, now, offered):
    assert is_offered(change, toward, flags={"--gpu-memory-utilization": now}) is offered


@pytest.mark.parametrize(("now", "offered"), [("256", True), ("64", False), ("8", False)])
def test_a_limit_is_only_lowered(now, offered):
    assert is_offered(SEQUENCES, Toward.LOWER, flags={"--max-num-seqs": now}) is offered


def test_a_server_that_runs_with_little_is_not_told_to_take_more():
    paste = (
        "(APIServer pid=1) INFO:     Application startup complete.\n"
        "(EngineCore pid=9) ERROR 05-01 10:00:00 [core.py:1108] EngineCore encountered a fatal error.\n"
        "(EngineCore pid=9) ERROR 05-01 10:00:00 [core.py:1108] torch.OutOfMemoryError: CUDA out of memory. "
        "Tried to allocate 512.00 MiB."
    )
    small = Given(
        command="vllm serve m --gpu-memory-utilization 0.7 --max-num-batched-tokens 1024",
        vllm_version="0.20.2",
    )

    diagnosis = start_engine().diagnose(paste, small).diagnoses[0]

    assert diagnosis.failure_class == "oom-runtime"
    assert [fix.id for fix in diagnosis.fixes] == ["end-the-holder"]
