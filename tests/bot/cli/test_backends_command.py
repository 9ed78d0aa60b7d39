"""`backends`: the matrix on the terminal and as JSON, and what is said of input that cannot be used."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from bot.backends.words import reason_words
from bot.cli.backends.model import MatrixModel, matrix_to_json
from bot.locale import LANGUAGES
from rules.engine.backend_matrix.matrix import Asked, build_matrix
from rules.engine.backend_matrix.models import families
from rules.releases.shipped import load_releases
from tests.bot.cli.running import run

QWEN = ("backends", "Qwen/Qwen3-VL-8B-Instruct", "--vllm-version", "0.12.0", "--gpu", "H100")
VERSIONS = [str(version) for version in load_releases().versions()]


def test_a_person_reads_the_default_the_refusal_and_its_place_in_the_source(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, *QWEN)

    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[0] == "Attention backends of vLLM 0.12.0 on NVIDIA H100 (9.0)"
    assert any(line.split()[:4] == ["1", "FLASH_ATTN", "yes", "default"] for line in lines)
    joined = " ".join(outcome.out.split())
    assert "FLASHINFER, FLEX_ATTENTION, TREE_ATTN: no; the encoder refuses it" in joined
    assert "[vllm/model_executor/models/qwen3_vl.py:385]" in joined
    assert "--mm-encoder-attn-backend NAME or VLLM_ATTENTION_BACKEND=NAME" in joined


def test_json_holds_verdicts_reasons_and_settings(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, *QWEN, "--json")

    answer = json.loads(outcome.out)
    assert list(answer) == [
        *("schema", "vllm_version", "gpu", "model", "known_model", "columns", "settings", "notes"),
    ]  # fmt: skip
    vision = {one["backend"]: one for one in answer["columns"][0]["vision"]["backends"]}
    assert vision["FLASHINFER"]["works"] is False
    assert vision["FLASHINFER"]["reasons"][0]["source"] == "vllm/model_executor/models/qwen3_vl.py:385"
    assert vision["FLASH_ATTN"] == {
        "backend": "FLASH_ATTN", "works": True, "order": None, "default": True, "reasons": [],
    }  # fmt: skip
    assert answer["settings"]["text"][0]["example"] == "VLLM_ATTENTION_BACKEND=NAME"
    assert answer["settings"]["text"][0]["reaches"] == ["text", "tower"]


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(VERSIONS),
    st.sampled_from((None, "7.5", "9.0", "10.0", "cpu", "MI300X")),
    st.sampled_from((None, *families())),
    st.sampled_from(LANGUAGES),
)
def test_every_matrix_fits_the_schema_and_has_words_for_every_reason(version, gpu, model, language):
    name = model.family if model else None
    matrix = build_matrix(Asked(load_releases().get(version), gpu, name, model))

    MatrixModel.model_validate(matrix_to_json(matrix, language))
    for column in matrix.columns:
        for row in column.text.rows:
            assert all("{" not in reason_words(row.verdict, one, language) for one in row.reasons)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "asked",
    [
        ("--vllm-version", "0.12.0"),
        ("--vllm-version", "0.33.0"),
        ("--vllm-version", "0.8.5", "--gpu", "T4"),
        ("Qwen3-VL", "--vllm-version", "0.11.2"),
        ("deepseek-ai/DeepSeek-V3", "--vllm-version", "0.33.0", "--gpu", "B200"),
        ("Qwen2.5-VL", "--vllm-version", "0.33.0", "--gpu", "MI300X"),
    ],
)
def test_no_line_is_wider_than_eighty_columns(capsys, monkeypatch, asked, language):
    monkeypatch.setenv("COLUMNS", "80")

    outcome = run(capsys, monkeypatch, "backends", *asked, "--lang", language)

    assert outcome.code == 0
    assert [line for line in outcome.out.splitlines() if cell_len(line) > 80] == []


def test_without_a_gpu_machines_that_say_the_same_share_a_column(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "backends", "--vllm-version", "0.12.0")

    assert "Backend 7.0 7.5 8.0-9.0 10.0-10.3 11.0-12.1" in " ".join(outcome.out.split())


def test_a_local_folder_is_read_by_its_configuration(capsys, monkeypatch, tmp_path):
    config = {"architectures": ["Unheard"], "hidden_size": 3072, "num_attention_heads": 32}
    (tmp_path / "config.json").write_text(json.dumps(config))

    outcome = run(capsys, monkeypatch, "backends", str(tmp_path), "--vllm-version", "0.12.0", "--json")

    assert json.loads(outcome.out)["known_model"]["head_size"] == 96


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\x00"])
def test_a_configuration_that_is_none_is_said_in_one_sentence(capsys, monkeypatch, tmp_path, text):
    (tmp_path / "config.json").write_text(text)

    outcome = run(capsys, monkeypatch, "backends", str(tmp_path), "--vllm-version", "0.12.0")

    assert outcome.code == 65
    assert outcome.err.count("\n") == 1
    assert "name the model instead" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--vllm-version", "main"), 64, "is no release number; give one such as 0.11.2"),
        (("--vllm-version", "0.34.0"), 65, "there are no facts of vLLM 0.34.0; the nearest is 0.33.0"),
        (("--vllm-version", "0.5.4"), 65, "the nearest is 0.6.3"),
        (("--vllm-version", "0.11.3"), 65, "the nearest are 0.11.2 and 0.12.0"),
        ((), 64, "missing option '--vllm-version'"),
        (("--vllm-version", "0.12.0", "--gpu", "toaster"), 64, "'toaster' is no GPU known here"),
        (
            ("--vllm-version", "0.12.0", "--kv-cache-dtype", "fp3"),
            64,
            "vLLM 0.12.0 knows no 'fp3'; it takes auto, ",
        ),
        (("--vllm-version", "0.12.0", "--block-size", "0"), 64, "--block-size"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said_in_one_sentence(capsys, monkeypatch, arguments, code, sentence):
    outcome = run(capsys, monkeypatch, "backends", *arguments)

    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("version", ["v0.12.0", "0.12.0+cu128", "0.12.0rc1", "0.12"])
def test_a_build_of_a_release_is_answered_as_the_release(capsys, monkeypatch, version):
    outcome = run(capsys, monkeypatch, "backends", "--vllm-version", version, "--json")

    assert json.loads(outcome.out)["vllm_version"] == "0.12.0"


def test_a_secret_in_the_models_place_is_masked(capsys, monkeypatch):
    secret = "hf_" + "aB3dE5" * 6

    outcome = run(capsys, monkeypatch, "backends", secret, "--vllm-version", "0.12.0")

    assert secret not in outcome.out


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60).filter(lambda text: not text.startswith("-") and "\0" not in text))
def test_whatever_is_named_as_model_steers_no_terminal(capsys, monkeypatch, text):
    outcome = run(capsys, monkeypatch, "backends", text, "--vllm-version", "0.12.0", "--gpu", "H100")

    assert outcome.code == 0
    assert "\x1b" not in outcome.out
