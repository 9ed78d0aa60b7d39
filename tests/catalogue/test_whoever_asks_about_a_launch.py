"""Whoever gives facts beside a paste asks about a launch: nothing to see is then not nothing to say."""

import pytest

from rules.engine.paste.facts import Given
from rules.engine.report import Confidence, Status
from rules.engine.start import start_engine

LAUNCH = Given(vllm_version="0.11.0", gpu="Tesla T4", model="Qwen/Qwen3-VL-4B-Instruct")
BEGUN = (
    "(Worker_TP1 pid=3928602) INFO 10-06 22:12:38 [gpu_model_runner.py:2634] Loading model from scratch...\n"
    "(Worker_TP1 pid=3928602) INFO 10-06 22:12:39 [cuda.py:366] Using Flash Attention backend on V1 engine."
)


@pytest.fixture(scope="module")
def engine():
    return start_engine()


@pytest.mark.parametrize(
    "paste",
    [
        BEGUN,
        "the engine dies during start and prints nothing",
        "No valid attention backend found",
        "ValueError: No valid attention backend found for cuda with",
        "[rank0]:     compiled_graph = fx_codegen_and_compile(gm, example_inputs, **fx_kwargs)",
    ],
)
def test_the_deciding_lines_are_asked_for(engine, paste):
    report = engine.diagnose(paste, LAUNCH)

    assert report.status is Status.NEED_MORE
    assert report.ask
    assert not report.diagnoses


def test_a_name_that_one_class_of_messages_holds_is_possible_and_no_more(engine):
    report = engine.diagnose("flash_attn_varlen_func", LAUNCH)

    assert report.status is Status.NEED_MORE
    (diagnosis,) = report.diagnoses
    assert (diagnosis.failure_class, diagnosis.confidence) == (
        "flash-attn-extension-missing",
        Confidence.POSSIBLE,
    )


def test_a_name_that_messages_of_many_classes_hold_is_only_asked_about(engine):
    report = engine.diagnose("AttentionBackendEnum", LAUNCH)

    assert (report.status, report.diagnoses) == (Status.NEED_MORE, ())


@pytest.mark.parametrize(
    "paste", [BEGUN, "the engine dies during start and prints nothing", "flash_attn_varlen_func"]
)
def test_unasked_nothing_is_said_of_the_same(engine, paste):
    assert engine.diagnose(paste).status is Status.NOT_AN_INCIDENT


def test_a_release_alone_tells_of_no_launch(engine):
    assert engine.diagnose(BEGUN, Given(vllm_version="0.11.0")).status is Status.NOT_AN_INCIDENT


@pytest.mark.parametrize(
    "paste",
    [
        f"{BEGUN}\n(APIServer pid=1) INFO:     Application startup complete.",
        "is FLASHINFER faster than FLASH_ATTN on this card?",
        "",
        '  File "/opt/sglang/srt/managers/scheduler.py", line 1, in run\n    self.event_loop_normal()',
    ],
)
def test_health_speed_silence_and_other_programs_stay_no_incident(engine, paste):
    assert engine.diagnose(paste, LAUNCH).status is Status.NOT_AN_INCIDENT


def test_words_that_vllms_libraries_share_with_another_program_are_vllms_for_whoever_asks(engine):
    shared = "RuntimeError: FlashInfer requires sm75+"

    asked, unasked = engine.diagnose(shared, Given(gpu="RTX 5090")), engine.diagnose(shared)
    foreign = engine.diagnose(f"ktransformers 0.3\n{shared}", Given(gpu="RTX 5090"))

    assert asked.diagnoses[0].failure_class == "flashinfer-arch-check"
    assert unasked.status is Status.NOT_AN_INCIDENT
    assert foreign.status is Status.NOT_AN_INCIDENT


def test_a_message_that_was_cut_is_asked_for_whole_even_unasked(engine):
    report = engine.diagnose("No valid attention backend found")

    assert report.status is Status.NEED_MORE
    assert report.root_cause.text == "No valid attention backend found"
