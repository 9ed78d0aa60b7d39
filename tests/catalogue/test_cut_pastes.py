"""A paste that was cut is asked about, or answered as far as it goes; no name is made of a stump."""

import pytest

from rules.engine.report import Confidence, Status
from rules.engine.start import Options, start_engine

FRAME = "RuntimeError: Qwen3-VL does not support "


@pytest.fixture(scope="module")
def engine():
    return start_engine(Options())


@pytest.mark.parametrize("cut", ["F", "FLA", "FLASHINFE", "TRITO", "FLEX_"])
def test_a_backend_cut_in_its_name_is_not_named_but_the_refusal_is_known(engine, cut):
    report = engine.diagnose(f"{FRAME}AttentionBackendEnum.{cut}")

    (diagnosis,) = report.diagnoses
    assert (report.status, diagnosis.failure_class) == (Status.DIAGNOSED, "vit-backend-unsupported")
    assert diagnosis.captures == {"model": "Qwen3-VL"}
    assert report.vllm_versions == ">=0.11.1,<0.13"
    said = [diagnosis.title, diagnosis.cause, *(fix.summary for fix in diagnosis.fixes)]
    assert not [text for text in said if "?" in text or f" {cut} " in text]
    proofs = [proof.command for fix in diagnosis.fixes for proof in fix.verify]
    assert not [command for command in proofs if "backend now" in command]


@pytest.mark.parametrize("rest", ["", " b", " backend", " backend now", " backend now."])
def test_a_whole_backend_stays_named_wherever_the_line_ends(engine, rest):
    (diagnosis,) = engine.diagnose(f"{FRAME}AttentionBackendEnum.FLASHINFER{rest}").diagnoses

    assert diagnosis.captures == {"model": "Qwen3-VL", "backend": "FLASHINFER"}


def test_a_backend_of_a_fork_is_named_as_printed(engine):
    (diagnosis,) = engine.diagnose(f"{FRAME}AttentionBackendEnum.MY_OWN backend now.").diagnoses

    assert diagnosis.captures["backend"] == "MY_OWN"


def test_an_encoder_cut_at_the_start_of_the_line_is_not_named(engine):
    text = "en3-VL does not support AttentionBackendEnum.FLASHINFER backend now."

    assert engine.diagnose(text).diagnoses[0].captures == {"backend": "FLASHINFER"}


@pytest.mark.parametrize(
    "text",
    [
        *(
            FRAME.rstrip() + rest
            for rest in ("", " Atten", " AttentionBackendEnum", " AttentionBackendEnum.")
        ),
        *(FRAME.rstrip() + rest for rest in (" _Back", " _Backend.")),
        "RuntimeError: Qwen3-VL does not",
        "ERROR 11-28 07:55:57 [multiproc_executor.py:743] RuntimeError: Qwen3-VL does not",
        "(EngineCore_DP0 pid=79)     rotary_kernel[grid](",
        "Feb 04 08:47:08 gpu sudo[47]: (VllmWorker rank=2 pid=47)     maybe_offload(layer_fn(prefix=1))",
        "(EngineCore_DP0 pid=9) ERROR 03-11 11:58:53 [core.py:1108]     self._initialize_kv_caches(config)",
        '  File "/x/site-packages/vllm/v1/worker/gpu_worker.py", line 7, in load\n    self.model.load()',
        '    out = xops.forward(\n  File "/opt/envs/vllm_39/lib/xformers/ops.py", line 2, in forward',
        "ERROR 08-29 02:12:22 async_llm_engine.py:658] Engine iteration timed out. This should never happen!",
    ],
)
def test_what_lacks_its_deciding_part_is_asked_about(engine, text):
    report = engine.diagnose(text)

    assert (report.status, report.diagnoses) == (Status.NEED_MORE, ())
    assert report.ask[0].fact == "first-exception"


def test_an_engine_that_was_not_heard_of_in_time_is_possible_and_no_more(engine):
    report = engine.diagnose(
        "TimeoutError: Timed out waiting for engines to send initial message on input socket."
    )

    assert {diagnosis.confidence for diagnosis in report.diagnoses} <= {Confidence.POSSIBLE}


@pytest.mark.parametrize(
    "text",
    [
        "(APIServer pid=1) INFO 02-12 [utils.py:299]        x     mode   (a=b)",
        "(EngineCore_DP0 pid=9) /x/y.py:12: UserWarning: old\n(EngineCore_DP0 pid=9)   warnings.warn(",
        '  File "/x/site-packages/sglang/srt/managers/scheduler.py", line 478, in loop',
        '  File "/x/site-packages/transformers/models/q/modeling_q.py", line 530, in forward',
        "RuntimeError: MyTool does not support",
    ],
)
def test_lines_without_a_failure_of_vllm_are_not(engine, text):
    assert engine.diagnose(text).status is Status.NOT_AN_INCIDENT


def test_an_endless_name_is_neither_captured_nor_shown_whole(engine):
    report = engine.diagnose(f"RuntimeError: {'Q' * 300_000} does not support _Backend.XFORMERS backend now.")

    assert report.diagnoses[0].captures == {"backend": "XFORMERS"}
    assert report.root_cause is not None
    assert len(report.root_cause.text) < 5_000
