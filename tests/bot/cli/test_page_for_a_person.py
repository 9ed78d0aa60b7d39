"""The answer on a terminal: verdict first, commands that can be copied, every width, both languages."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.answer.human import print_report
from bot.cli.answer.page import Page, printable
from rules.engine.report import Status
from tests.bot.cli.sample_reports import LONG_COMMAND, a_report

LOCALE = Path(__file__).parents[3] / "bot" / "locale"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(report, monkeypatch, *, width=80, file=None, **environment) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": str(width), **environment}.items():
        monkeypatch.setenv(name, value)
    file = file or io.StringIO()
    print_report(report, Page(file))
    return file.getvalue()


def test_the_verdict_stands_in_the_first_line(monkeypatch):
    lines = _shown(a_report(), monkeypatch).splitlines()

    assert lines[0] == "Diagnosed: The vision encoder of Qwen3-VL refuses FLASHINFER"
    assert "certain" in lines[1]


def test_the_parts_come_in_the_order_that_a_person_needs(monkeypatch):
    text = _shown(a_report(), monkeypatch)

    heads = ["Cause", "Root cause, line 41, process Worker_TP0", "Known", "Fix 1 of 2", "Fix 2 of 2"]
    heads += ["To be more certain", "Also possible", "Ruled out", "Notes", "References"]
    places = [text.index(f"\n{head}") for head in heads]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("status", "head"),
    [
        (Status.UNKNOWN, "Root cause, line 41, process Worker_TP0"),
        (Status.NEED_MORE, "The nearest line to it, line 41, process Worker_TP0"),
    ],
)
def test_below_the_line_of_the_failure_stands_where_in_vllm_it_arose(status, head, monkeypatch):
    lines = _shown(a_report(status), monkeypatch, width=100).splitlines()

    place = lines.index(head)
    assert lines[place + 2 : place + 4] == [
        "  In vLLM: vllm/v1/engine/core.py, line 833, in run_engine_core",
        "  vLLM 0.11.2 raises it in vllm/attention/selector.py, line 180",
    ]


@pytest.mark.parametrize("width", [60, 80, 100, 132, 200])
def test_a_command_is_one_unbroken_line_at_any_width(width, monkeypatch):
    lines = _shown(a_report(), monkeypatch, width=width).splitlines()

    assert f"    {LONG_COMMAND}" in lines
    prose = [line for line in lines if LONG_COMMAND not in line]
    assert max(len(line) for line in prose) <= min(width, 100)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("status", list(Status))
def test_every_status_reads_in_both_languages(status, language, monkeypatch):
    text = _shown(a_report(status, language=language), monkeypatch)

    assert text.strip()
    assert "{" not in text.replace(LONG_COMMAND, "")
    assert bool(re.search(r"[\u4e00-\u9fff]", text)) is (language == "zh")


def test_without_a_verdict_the_page_says_what_to_do_next(monkeypatch):
    for status in (Status.NEED_MORE, Status.UNKNOWN):
        assert "nvidia-smi --query-gpu=name" in _shown(a_report(status), monkeypatch)
    assert "from its start" in _shown(a_report(Status.NOT_AN_INCIDENT), monkeypatch)


def test_nothing_but_text_goes_to_a_file_or_a_dumb_terminal_or_under_no_color(monkeypatch):
    assert "\x1b" not in _shown(a_report(), monkeypatch)
    assert "\x1b" not in _shown(a_report(), monkeypatch, file=_Terminal(), TERM="dumb")
    assert "\x1b" not in _shown(
        a_report(), monkeypatch, file=_Terminal(), TERM="xterm-256color", NO_COLOR="1"
    )


def test_a_terminal_gets_colours(monkeypatch):
    assert "\x1b[" in _shown(a_report(), monkeypatch, file=_Terminal(), TERM="xterm-256color")


def test_a_command_of_several_lines_stands_at_the_margin():
    file = io.StringIO()

    Page(file).command("cat <<'END'\nhello\nEND")

    assert file.getvalue() == "cat <<'END'\nhello\nEND\n"


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_no_text_steers_the_terminal(text):
    file = io.StringIO()

    Page(file).prose(text)

    assert not set(file.getvalue()) & {chr(code) for code in (*range(9), *range(11, 32), 0x7F, 0x9B, 0x202E)}


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=300))
def test_a_command_is_printed_as_it_is(word):
    command = f"echo {shlex.quote(word)}"
    file = io.StringIO()

    Page(file).command(command)

    assert file.getvalue() == f"    {command}\n"
    assert shlex.split(file.getvalue()) == ["echo", word]


def test_escape_sequences_of_a_paste_are_made_visible():
    assert printable("a\x1b[31mb\u202ec") == "a\ufffd[31mb\ufffdc"


def test_both_languages_have_the_same_sentences_with_the_same_placeholders():
    english, chinese = (
        json.loads((LOCALE / language / "terminal.json").read_text(encoding="utf-8"))
        for language in ("en", "zh")
    )

    assert list(english) == list(chinese)
    for key, sentence in english.items():
        assert set(re.findall(r"\{\w+\}", sentence)) == set(re.findall(r"\{\w+\}", chinese[key])), key
