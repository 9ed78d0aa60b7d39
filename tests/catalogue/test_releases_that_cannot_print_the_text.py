"""A release that cannot print the pasted text: the contradiction comes first, and nothing is built on it."""

import pytest

from rules.engine.paste.evidence import NoteKind
from rules.engine.paste.facts import Given
from rules.engine.report import Confidence
from rules.engine.start import Options, start_engine

CURRENT = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
#: `_Backend` was printed up to 0.11.0, and Qwen3-VL came with 0.11.0 (vllm/model_executor/models/qwen3_vl.py)
FIRST = "RuntimeError: Qwen3-VL does not support _Backend.FLASHINFER backend now."


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return start_engine(Options(cache=tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize(
    ("paste", "release", "printing"),
    [
        (CURRENT, "0.8.5", ">=0.11.1,<0.13"),
        (CURRENT, "0.11.0", ">=0.11.1,<0.13"),
        (CURRENT, "0.20.0", ">=0.11.1,<0.13"),
        (CURRENT, "0.40.0", ">=0.11.1,<0.13"),
        (FIRST, "0.8.5", "==0.11.0"),
        (FIRST, "0.12.0", "==0.11.0"),
    ],
)
def test_the_cause_says_that_the_release_cannot_print_this_and_asks_for_it_first(
    engine, paste, release, printing
):
    report = engine.diagnose(paste, Given(vllm_version=release))

    first = report.diagnoses[0]
    assert first.failure_class == "vit-backend-unsupported"
    assert first.confidence is not Confidence.CERTAIN
    assert not first.in_era
    assert first.cause.startswith(f"vLLM {release} does not print this text, releases {printing} do")
    assert "in this release" not in first.cause
    assert [ask.fact for ask in report.ask] == ["vllm_version"]


@pytest.mark.parametrize("release", ["0.8.5", "0.11.0", "0.20.0", "0.33.0", "0.40.0"])
@pytest.mark.parametrize("gpu", ["H100", "T4", "B200", None])
def test_only_what_helps_in_the_named_and_in_the_printing_releases_is_offered(engine, release, gpu):
    report = engine.diagnose(CURRENT, Given(vllm_version=release, gpu=gpu))

    fixes = report.diagnoses[0].fixes
    assert all(not fix.change or not (fix.change.flags_set or fix.change.flags_unset) for fix in fixes)
    if release in ("0.8.5", "0.11.0"):
        assert fixes[0].change is not None
        assert fixes[0].change.env_unset == ("VLLM_ATTENTION_BACKEND",)
    else:
        assert not fixes


@pytest.mark.parametrize("release", ["0.11.1", "0.11.2", "0.12.0", "0.11.2.post1", "0.12.0+cu129"])
def test_a_release_that_prints_it_contradicts_nothing(engine, release):
    report = engine.diagnose(CURRENT, Given(vllm_version=release))

    assert report.diagnoses[0].confidence is Confidence.CERTAIN
    assert report.diagnoses[0].in_era
    assert NoteKind.CONTRADICTION not in {note.kind for note in report.notes}


def test_the_contradiction_is_said_in_chinese_too(engine):
    report = engine.diagnose(CURRENT, Given(vllm_version="0.8.5"), "zh")

    assert report.diagnoses[0].cause.startswith("vLLM 0.8.5 不会打印这段文本")
