"""A plain `diagnose` is read without the option framework; both readings must agree, whatever is typed."""

import json
import subprocess
import sys

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli.answer import diagnose
from bot.cli.answer.request import LANGUAGES, OPTIONS, Request, read_request
from tests.bot.cli.running import ROOT

WORDS = st.one_of(
    st.sampled_from(
        ["-", "--", "--json", "--lang", "--lang=zh", "--gpu", "--gpu=", "--help", "-x", "en", "a.log"]
    ),
    st.sampled_from(list(OPTIONS)),
    st.text(max_size=6),
)


def _by_the_framework(arguments):
    try:
        context = typer.main.get_command(diagnose.app).make_context("diagnose", list(arguments))
    except (typer.TyperException, typer.Exit):
        return None
    params = dict(context.params)
    files = tuple(params.pop("files") or ["-"])
    return Request(files, language=str(params.pop("lang")), **params)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=6))
def test_what_the_plain_reading_understands_means_the_same_to_the_framework(arguments):
    request = read_request(["diagnose", *arguments])

    assert request is None or request == _by_the_framework(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-"],
        ["--json", "-"],
        ["a.log", "b.log", "--json"],
        ["--vllm-version", "0.11.2", "--gpu=T4", "--lang", "zh", "a.log"],
        ["--model", "Qwen/Qwen3-VL", "--env-file", ".env", "--command", "vllm serve x", "-"],
    ],
    ids=" ".join,
)
def test_the_usual_command_lines_are_understood(arguments):
    assert read_request(["diagnose", *arguments]) == _by_the_framework(arguments)


def test_both_know_the_same_options_and_languages():
    command = typer.main.get_command(diagnose.app)
    declared = {name for param in command.params for name in param.opts if name.startswith("--")}

    assert declared == {*OPTIONS, "--json"}
    assert [language.value for language in diagnose.Language] == list(LANGUAGES)


def test_a_diagnosis_imports_neither_validators_nor_the_framework_nor_a_server(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.\n")
    arguments = ["diagnose", "--json", str(log)]
    # the first run may compile the catalogue
    code = (
        "import sys, json; from bot.cli.app import main; "
        f"main({arguments!r}); sys.stdout = sys.stderr; "
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)

    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    heavy = {"pydantic", "typer", "rich", "yaml", "aiohttp", "sqlalchemy", "jinja2", "asyncio", "dotenv"}
    assert not heavy & set(json.loads(result.stderr))
    assert json.loads(result.stdout)["status"] == "diagnosed"
