"""The seed's failure in every release that prints it, on every GPU: what is offered and what never is.

The rows follow vLLM's own code: `vllm/platforms/cuda.py` (choice for encoders), `vllm/attention/layer.py`
(rescue by an installed flash-attn), `vllm/model_executor/models/*` (what each encoder accepts), `vllm/envs.py`.
"""

import re
import shlex

import pytest

from rules.engine.paste.facts import Given
from rules.engine.report import Confidence, Diagnosis, Report, Status
from rules.engine.start import Options, start_engine
from rules.engine.versions import select
from rules.releases.shipped import load_releases

VOLTA, TURING, AMPERE, ADA, HOPPER = (
    "Tesla V100",
    "Tesla T4",
    "NVIDIA A100-SXM4-80GB",
    "L4",
    "NVIDIA H100 80GB HBM3",
)
GRACE, BLACKWELL, DESKTOP = "NVIDIA GH200 480GB", "NVIDIA B200", "NVIDIA GeForce RTX 5090"
OLD = (VOLTA, TURING)
X86 = (AMPERE, ADA, HOPPER, DESKTOP)
UNSET, VARIABLE, FLAG, UPGRADE = "unset-variable", "flash-attn-variable", "encoder-backend-flag", "upgrade"
PACKAGE = "flash-attn-variable-and-package"
CURRENT = "RuntimeError: {} does not support AttentionBackendEnum.{} backend now."
FIRST = "RuntimeError: {} does not support _Backend.{} backend now."

#: release, GPUs, fixes in the order to try
QWEN3 = [
    ("0.11.0", OLD, [UNSET, UPGRADE]),
    ("0.11.0", X86, [UNSET, VARIABLE, UPGRADE]),
    ("0.11.0", (GRACE,), [VARIABLE, UPGRADE]),
    ("0.11.0", (BLACKWELL,), [UNSET, UPGRADE]),
    ("0.11.1", (VOLTA,), [UNSET, UPGRADE]),
    ("0.11.1", (TURING,), [UNSET, FLAG, UPGRADE]),
    ("0.11.1", X86, [UNSET, VARIABLE, FLAG, UPGRADE]),
    ("0.11.1", (GRACE,), [VARIABLE, FLAG, UPGRADE]),
    ("0.11.1", (BLACKWELL,), [UNSET, FLAG, UPGRADE]),
    ("0.11.2", (VOLTA,), [UNSET, UPGRADE]),
    ("0.11.2", (TURING,), [UNSET, FLAG, UPGRADE]),
    ("0.11.2", X86, [UNSET, VARIABLE, FLAG, UPGRADE]),
    ("0.11.2", (GRACE,), [VARIABLE, FLAG, UPGRADE]),
    ("0.11.2", (BLACKWELL,), [UNSET, FLAG, UPGRADE]),
    ("0.12.0", (VOLTA,), [UNSET, UPGRADE]),
    ("0.12.0", (TURING,), [UNSET, FLAG, UPGRADE]),
    ("0.12.0", (*X86, GRACE), [UNSET, VARIABLE, FLAG, UPGRADE]),
    ("0.12.0", (BLACKWELL,), [UNSET, FLAG, UPGRADE]),
]
BEFORE = ("0.6.3", "0.6.6.post1", "0.7.3", "0.8.5", "0.9.2", "0.10.2")
QWEN2 = [
    *((release, OLD, [UNSET, UPGRADE]) for release in BEFORE),
    *((release, X86, [UNSET, PACKAGE, UPGRADE]) for release in BEFORE),
    *((release, (GRACE,), [PACKAGE, UPGRADE]) for release in BEFORE),
]


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return start_engine(Options(cache=tmp_path_factory.mktemp("cache")))


def ids(diagnosis: Diagnosis) -> list[str]:
    return list(dict.fromkeys(fix.id for fix in diagnosis.fixes))


def seed(report: Report) -> Diagnosis:
    assert report.status is Status.DIAGNOSED
    first = report.diagnoses[0]
    assert first.failure_class == "vit-backend-unsupported"
    assert first.confidence is Confidence.CERTAIN
    return first


def rows(table, *backends):
    return [
        pytest.param(release, gpu, backend, expected, id=f"{release}-{gpu}-{backend}")
        for release, gpus, expected in table
        for gpu in gpus
        for backend in backends
    ]


@pytest.mark.parametrize(("release", "gpu", "backend", "expected"), rows(QWEN3, "FLASHINFER"))
def test_qwen3_vl_is_offered_what_works_on_that_release_and_gpu(engine, release, gpu, backend, expected):
    text = (FIRST if release == "0.11.0" else CURRENT).format("Qwen3-VL", backend)

    found = seed(engine.diagnose(text, Given(vllm_version=release, gpu=gpu)))

    assert ids(found) == expected
    assert {fix.releases for fix in found.fixes} == {f"=={release}"}


@pytest.mark.parametrize("backend", ["TRITON_ATTN", "FLEX_ATTENTION"])
@pytest.mark.parametrize(("release", "gpus", "expected"), [row for row in QWEN3 if row[0] != "0.11.0"])
def test_other_backends_are_answered_likewise(engine, release, gpus, expected, backend):
    for gpu in gpus:
        found = seed(
            engine.diagnose(CURRENT.format("Qwen3-VL", backend), Given(vllm_version=release, gpu=gpu))
        )

        # these run on every card, so the encoder's own flag helps on Volta too
        wanted = [UNSET, FLAG, UPGRADE] if gpu == VOLTA else expected
        assert ids(found) == wanted


@pytest.mark.parametrize(("release", "gpu", "backend", "expected"), rows(QWEN2, "FLASHINFER"))
def test_older_encoders_are_offered_no_flag_and_flash_attn_only_with_its_package(
    engine, release, gpu, backend, expected
):
    found = seed(engine.diagnose(FIRST.format("Qwen2-VL", backend), Given(vllm_version=release, gpu=gpu)))

    assert ids(found) == expected
    assert not [fix for fix in found.fixes if fix.change and (fix.change.flags_set or fix.change.flags_unset)]
    for fix in found.fixes:
        if fix.id == PACKAGE:
            assert "flash-attn" in fix.summary


@pytest.mark.parametrize("release", ["0.11.0", "0.11.1", "0.11.2", "0.12.0"])
@pytest.mark.parametrize("gpu", OLD)
@pytest.mark.parametrize("backend", ["FLASHINFER", "TRITON_ATTN", "FLEX_ATTENTION"])
def test_flash_attn_is_never_offered_below_compute_capability_8(engine, release, gpu, backend):
    text = (FIRST if release == "0.11.0" else CURRENT).format("Qwen3-VL", backend)

    found = seed(engine.diagnose(text, Given(vllm_version=release, gpu=gpu)))

    for fix in found.fixes:
        values = [*fix.change.env_set.values(), *fix.change.flags_set.values()] if fix.change else []
        assert "FLASH_ATTN" not in values
        assert not any("FLASH_ATTN" in command for command in fix.commands)


def test_the_bare_line_means_three_releases_and_asks_for_the_gpu(engine):
    line = "ERROR 11-28 07:55:57 [multiproc_executor.py:743] " + CURRENT.format("Qwen3-VL", "FLASHINFER")

    report = engine.diagnose(line)

    found = seed(report)
    shipped = load_releases().versions()
    assert report.vllm_versions == ">=0.11.1,<0.13"
    assert [str(version) for version in select(report.vllm_versions, shipped)] == [
        "0.11.1",
        "0.11.2",
        "0.12.0",
    ]
    assert report.ask[0].fact == "gpu"
    assert len(report.ask) <= 3
    assert ids(found) == [UNSET, VARIABLE, FLAG, UPGRADE]
    unset = [fix for fix in found.fixes if fix.id == UNSET]
    assert [fix.releases for fix in unset] == ["==0.12.0", ">=0.11.1,<0.12"]


def test_the_old_spelling_means_the_older_releases(engine):
    report = engine.diagnose(FIRST.format("Qwen2-VL", "FLASHINFER"))

    seed(report)
    versions = [str(version) for version in select(report.vllm_versions, load_releases().versions())]
    assert versions[0] == "0.6.3"
    assert versions[-1] == "0.11.0"


def test_an_encoder_narrows_the_releases_to_those_that_have_it(engine):
    report = engine.diagnose(FIRST.format("Qwen3-VL", "FLASHINFER"))

    assert report.vllm_versions == "==0.11.0"


PROOFS = [
    ("0.11.2", HOPPER, UNSET, "Using FLASH_ATTN backend."),
    ("0.11.2", HOPPER, VARIABLE, "Using AttentionBackendEnum.FLASH_ATTN backend."),
    ("0.11.2", HOPPER, FLAG, "Using AttentionBackendEnum.FLASHINFER backend."),
    ("0.11.2", BLACKWELL, UNSET, "Using FLASHINFER backend."),
    ("0.12.0", HOPPER, UNSET, "Using FLASH_ATTN attention backend out of potential backends:"),
    ("0.12.0", HOPPER, VARIABLE, "Using AttentionBackendEnum.FLASH_ATTN backend."),
    ("0.12.0", BLACKWELL, UNSET, "Using FLASHINFER attention backend out of potential backends:"),
    ("0.12.0", TURING, FLAG, "Using AttentionBackendEnum.FLASHINFER backend."),
]


@pytest.mark.parametrize(("release", "gpu", "fix_id", "line"), PROOFS)
def test_each_fix_is_proven_by_what_that_release_prints_after_that_fix(engine, release, gpu, fix_id, line):
    found = seed(
        engine.diagnose(CURRENT.format("Qwen3-VL", "FLASHINFER"), Given(vllm_version=release, gpu=gpu))
    )

    (fix,) = [one for one in found.fixes if one.id == fix_id]
    logs = [shlex.split(proof.command) for proof in fix.verify if proof.kind == "log"]
    assert line in logs[0]


@pytest.mark.parametrize(
    ("release", "label"), [("0.6.3", "Qwen2-VL"), ("0.8.5", "Qwen2-VL"), ("0.12.0", "Qwen3-VL")]
)
def test_every_fix_is_proven_by_an_image_too(engine, release, label):
    text = (CURRENT if release == "0.12.0" else FIRST).format(label, "FLASHINFER")

    found = seed(engine.diagnose(text, Given(vllm_version=release)))

    for fix in found.fixes:
        assert any("data:image/png;base64," in proof.command for proof in fix.verify)


@pytest.mark.parametrize("gpu", [*OLD, *X86, GRACE, BLACKWELL, None])
@pytest.mark.parametrize("release", ["0.16.0", "0.23.0", "0.33.0"])
def test_pangu_vl_never_blames_the_variable(engine, release, gpu):
    text = CURRENT.format("Pangu-VL", "TORCH_SDPA")
    given = Given(vllm_version=release, gpu=gpu, env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"})

    found = seed(engine.diagnose(text, given))

    for fix in found.fixes:
        assert not fix.change or not (fix.change.env_unset or fix.change.env_set)
        assert not any("VLLM_ATTENTION_BACKEND=FLASH_ATTN" in command for command in fix.commands)
    if gpu in OLD:
        assert ids(found) == ["another-gpu"]
    elif gpu:
        assert ids(found) == [FLAG]


def test_an_encoder_that_refuses_the_releases_own_choice_is_not_told_to_unset(engine):
    text = CURRENT.format("Keye-VL", "TORCH_SDPA")

    found = seed(engine.diagnose(text, Given(vllm_version="0.11.2", gpu=BLACKWELL)))

    assert found.rule == "vit-default-refused"
    assert UNSET not in ids(found)


def test_unsetting_is_not_offered_where_the_releases_own_choice_is_refused_too(engine):
    text = CURRENT.format("Keye-VL", "FLASHINFER")

    found = seed(engine.diagnose(text, Given(vllm_version="0.11.2", gpu=BLACKWELL)))

    assert UNSET not in ids(found)


LAUNCHES = [
    (
        "vllm serve Qwen/Qwen3-VL-8B-Instruct --mm-encoder-attn-backend FLASHINFER",
        ["drop-encoder-flag", FLAG],
    ),
    (
        "vllm serve Qwen/Qwen3-VL-8B-Instruct --mm-encoder-attn-backend=FLASHINFER",
        ["drop-encoder-flag", FLAG],
    ),
    (
        "VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve Qwen/Qwen3-VL-8B-Instruct",
        [UNSET, VARIABLE, FLAG, UPGRADE],
    ),
]


@pytest.mark.parametrize(("command", "expected"), LAUNCHES)
def test_who_asked_for_the_backend_decides_what_is_changed(engine, command, expected):
    given = Given(vllm_version="0.12.0", gpu=HOPPER, command=command)

    found = seed(engine.diagnose(CURRENT.format("Qwen3-VL", "FLASHINFER"), given))

    assert ids(found) == expected


PLAIN = CURRENT.format("Qwen3-VL", "FLASHINFER")
FORMS = {
    "prefixed": f"(Worker_TP0 pid=917) ERROR 11-28 07:55:57 [multiproc_executor.py:743] {PLAIN}",
    "compose": f"vllm-1  | (EngineCore_DP0 pid=9) ERROR 11-28 07:55:57 [core.py:842] {PLAIN}",
    "coloured": f"\x1b[1;36m(EngineCore_DP0 pid=9)\x1b[0;0m ERROR 11-28 07:55:57 [core.py:842] {PLAIN}",
    "cut": "Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend",
    "quoted": f"> {PLAIN}",
    "bold": f"**{PLAIN}**",
    "code": f"Any idea?\n```\n{PLAIN}\n```\nThanks",
    "inline": f"I get `{PLAIN}` since yesterday",
    "prose": f"启动时报错：{PLAIN.removeprefix('RuntimeError: ')}，请问怎么办？",
    "curled": f"“{PLAIN}”",
    "wrapped": re.sub(r"(.{60}) ", r"\1\n", f"ERROR 11-28 07:55:57 [multiproc_executor.py:743] {PLAIN}"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_line_is_known_in_every_form_that_people_paste(engine, form):
    report = engine.diagnose(FORMS[form])

    found = seed(report)
    assert found.captures["backend"] == "FLASHINFER"
    assert report.vllm_versions == ">=0.11.1,<0.13"
    assert ids(found) == [UNSET, VARIABLE, FLAG, UPGRADE]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_can_be_copied(engine, language):
    for text in (PLAIN, FIRST.format("Qwen2-VL", "FLASHINFER"), CURRENT.format("Pangu-VL", "TORCH_SDPA")):
        report = engine.diagnose(text, language=language)
        fixes = seed(report).fixes
        commands = [
            command for fix in fixes for command in (*fix.commands, *(one.command for one in fix.verify))
        ]

        for command in (*commands, *(ask.command for ask in report.ask)):
            assert shlex.split(command)
            assert command.isascii()
