"""Where in vLLM a failure arose that no rule explains: by the traceback, or by what releases raise."""

import pytest
from packaging.version import Version

from rules.engine.paste.facts import Given
from rules.engine.printed.places import raising_places
from rules.engine.report import RaisedAt, Status
from rules.engine.start import start_engine
from rules.releases.shipped import load_releases

ROPE = "ValueError: `Phi3LongRoPEScaledRotaryEmbedding` only supports neox_style."
RECORD = "(EngineCore_DP0 pid=7) ERROR 11-28 07:55:57 [core.py:842] "
PACKAGES = "/usr/lib/python3.12/site-packages"
TRACEBACK = (
    "Traceback (most recent call last):",
    f'  File "{PACKAGES}/vllm/v1/engine/core.py", line 833, in run_engine_core',
    "    engine_core = EngineCoreProc(*args, **kwargs)",
    f'  File "{PACKAGES}/vllm/model_executor/models/opt.py", line 61, in forward',
    "    return self.norm(x)",
    f'  File "{PACKAGES}/torch/nn/modules/normalization.py", line 202, in forward',
    "    return F.layer_norm(x)",
    "ValueError: nobody wrote a rule for this sentence",
)


@pytest.fixture(scope="module")
def engine():
    return start_engine()


def test_release_facts_name_the_place_in_the_release_that_runs(engine):
    report = engine.diagnose(ROPE, Given(vllm_version="0.11.2"))

    (source,) = raising_places("ValueError", ROPE.partition(": ")[2], Version("0.11.2"), load_releases())
    assert report.status is Status.UNKNOWN
    assert report.raised_at == (RaisedAt(source.file, source.line, release="0.11.2"),)
    assert source.file.startswith("vllm/model_executor/layers/rotary_embedding")


def test_another_release_raises_it_elsewhere(engine):
    old, new = (engine.diagnose(ROPE, Given(vllm_version=one)).raised_at for one in ("0.6.6", "0.33.0"))

    assert (old[0].release, new[0].release) == ("0.6.6", "0.33.0")
    assert (old[0].file, old[0].line) != (new[0].file, new[0].line)


@pytest.mark.parametrize("version", ["0.6.3", "0.11.2", "0.33.0"])
def test_messages_of_a_release_are_found_where_its_facts_say(version):
    releases = load_releases()
    raised = [
        message
        for message in releases.get(version).messages()
        if message.kind == "ValueError" and "{}" in message.template and 60 < len(message.template) < 120
    ][:80:4]

    found = [
        raising_places(text.kind, text.template.replace("{}", "7"), Version(version), releases)
        for text in raised
    ]

    assert len(raised) > 10
    assert all(not places or text.source in places for text, places in zip(raised, found, strict=True))
    assert sum(bool(places) for places in found) > len(raised) * 0.7


def test_a_text_that_stands_in_many_places_names_none():
    assert (
        raising_places(
            "AssertionError", "Only image modality is supported", Version("0.11.2"), load_releases()
        )
        == ()
    )


@pytest.mark.parametrize("prefix", ["", RECORD])
def test_the_last_frame_of_vllm_is_named_though_another_library_raised(engine, prefix):
    report = engine.diagnose("\n".join(prefix + line for line in TRACEBACK))

    assert report.status is Status.UNKNOWN
    assert report.raised_at == (RaisedAt("vllm/model_executor/models/opt.py", 61, function="forward"),)


def test_an_environment_called_vllm_makes_no_frame_of_vllm(engine):
    paste = "\n".join((TRACEBACK[0], *TRACEBACK[5:])).replace(PACKAGES, "/root/vllm/.venv/lib/site-packages")

    assert engine.diagnose(paste, Given(vllm_version="0.11.2")).raised_at == ()


def test_frames_of_another_process_are_not_taken_for_the_own(engine):
    own = [RECORD + line for line in (TRACEBACK[0], *TRACEBACK[5:])]
    other = [f"(Worker_TP1 pid=9) ERROR 11-28 07:55:57 [worker.py:1] {line}" for line in TRACEBACK[:4]]

    report = engine.diagnose("\n".join([*other, *own]), Given(vllm_version="0.11.2"))

    assert report.raised_at == ()


def test_a_traceback_that_was_cut_names_where_it_stops(engine):
    report = engine.diagnose("\n".join(RECORD + line for line in TRACEBACK[:5]))

    assert report.status is Status.NEED_MORE
    assert report.raised_at == (RaisedAt("vllm/model_executor/models/opt.py", 61, function="forward"),)


@pytest.mark.parametrize("checkout", ["/home/me/src/vllm/vllm", "/workspace/vllm", r"C:\vllm\vllm"])
def test_a_checkout_counts_from_the_package_on(engine, checkout):
    paste = "\n".join(TRACEBACK).replace(f"{PACKAGES}/vllm", checkout)

    assert engine.diagnose(paste).raised_at[0].file == "vllm/model_executor/models/opt.py"


@pytest.mark.parametrize(
    "paste",
    [
        "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.",
        "INFO 11-28 07:55:57 [core.py:1] all is well",
        '  File "/opt/sglang/srt/x.py", line 1, in f\nValueError: nobody wrote a rule for this sentence',
    ],
)
def test_what_is_diagnosed_healthy_or_foreign_names_no_place(engine, paste):
    assert engine.diagnose(paste, Given(vllm_version="0.11.2")).raised_at == ()
