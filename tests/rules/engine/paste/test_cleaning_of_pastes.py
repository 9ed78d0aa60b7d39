"""From what people send to plain numbered lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.cleaning import clean_lines, clean_text, decode

ERROR = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def cleaned(text: str) -> list[str]:
    return [line.text for line in clean_lines(text)]


@pytest.mark.parametrize(
    "data",
    [
        ERROR.encode(),
        b"\xef\xbb\xbf" + ERROR.encode(),
        ERROR.encode("utf-16"),
        b"\xfe\xff" + ERROR.encode("utf-16-be"),
        ERROR.encode("utf-16-le"),
        ERROR.encode("utf-16-be"),
    ],
    ids=[
        "utf-8",
        "utf-8 with mark",
        "utf-16",
        "utf-16 big",
        "utf-16-le without mark",
        "utf-16-be without mark",
    ],
)
def test_a_file_is_read_in_the_encoding_it_has(data):
    assert decode(data) == ERROR


@given(st.binary(max_size=400))
def test_no_bytes_are_refused(data):
    assert isinstance(clean_lines(decode(data)), list)


@pytest.mark.parametrize(
    "text",
    [
        f"\x1b[1;36m\x1b[0;31m{ERROR}\x1b[0;0m",
        f"^[[1;36m{ERROR}^[[0m",
        f"\\x1b[31m{ERROR}\\x1b[0m",
        f"\\033[31m{ERROR}\\033[0m",
        f"\\u001b[31m{ERROR}\\u001b[0m",
        f"[1;36m{ERROR}[0;0m",
        f"\x1b]0;title\x07{ERROR}",
        f"\x1b]8;;https://host/\x1b\\{ERROR}\x1b]8;;\x1b\\",
        f"\x1b[2K\x1b[1A{ERROR}",
        f"\x9b31m{ERROR}\x9b0m",
        f"␛[31m{ERROR}␛[0m",
    ],
)
def test_terminal_codes_vanish_in_every_form(text):
    assert cleaned(text) == [ERROR]


@pytest.mark.parametrize(
    "text",
    [
        ERROR.replace("-", "\u200b-\ufeff"),
        ERROR.replace(" ", "\u00a0"),
        ERROR.replace(" ", "\u202f"),
        "\x00".join(ERROR),
        f"> {ERROR}",
        f">> {ERROR}",
        f"> > {ERROR}",
        f"`{ERROR}`",
        f"**{ERROR}**",
        f"*{ERROR}*",
        f"**{ERROR}",
        f"```\n{ERROR}\n```",
        f"```python\n{ERROR}\n```",
        f"~~~\n{ERROR}\n~~~",
        f"<pre>{ERROR}</pre>",
        f"<code class='log'>{ERROR}</code>",
    ],
)
def test_marks_of_chat_round_a_line_vanish(text):
    assert [line for line in cleaned(text) if line] == [ERROR]


def test_slack_escapes_links_and_mentions_are_undone():
    text = (
        "see <https://x.example/a?b=1|x.example> and <https://y.example> "
        "&lt;lambda&gt; a &amp;&amp; b <@U012AB> <!here>"
    )

    assert cleaned(text)[0].strip() == "see x.example and https://y.example <lambda> a && b"


def test_an_escaped_escape_is_undone_once():
    assert clean_text("&amp;lt;") == "&lt;"


def test_curled_quotes_and_long_dashes_become_what_was_typed():
    assert cleaned("vllm serve “a” —port 80 {‘EngineCore_DP0’: 1}") == [
        "vllm serve \"a\" --port 80 {'EngineCore_DP0': 1}"
    ]


def test_what_a_progress_bar_overwrote_is_dropped_and_what_follows_stays():
    text = (
        "Loading: 10%|#   | 1/9\rLoading: 90%|### | 8/9\rLoading: 100%|####| "
        "9/9\r\nTraceback (most recent call last):\n"
    )

    assert cleaned(text) == ["Loading: 100%|####| 9/9", "Traceback (most recent call last):"]


def test_an_error_that_a_progress_bar_overwrote_is_kept():
    assert cleaned(f"{ERROR}\r 50%|##  | 1/2\r100%|####| 2/2\n") == [ERROR, "100%|####| 2/2"]


def test_numbers_are_those_of_the_original_whatever_is_dropped():
    text = f"```\n\n> first\r\n\x1b[0m\n{ERROR}<br>after\n"

    assert [(line.number, line.text) for line in clean_lines(text)] == [
        (3, "first"),
        (5, ERROR),
        (5, "after"),
    ]


def test_numbering_can_start_anywhere():
    assert [line.number for line in clean_lines("a\nb", 101)] == [101, 102]


def test_indentation_of_quoted_code_stays():
    assert cleaned(
        '> Traceback (most recent call last):\n>   File "a.py", line 1, in f\n>     f(**kwargs)'
    ) == [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in f',
        "    f(**kwargs)",
    ]


def test_source_that_looks_like_marks_is_left_alone():
    lines = ["**kwargs,", "std::vector<std::string> a;", "__init__()", "*args"]

    assert cleaned("\n".join(lines)) == lines


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="\x1b\r<&>[]`*_~\\^"), max_size=200))
def test_plain_text_is_not_changed(text):
    plain = "".join(character for character in text if character == "\n" or character.isprintable())

    assert "\n".join(cleaned(plain)) == "\n".join(line for line in plain.split("\n") if line.strip())


@given(st.text(max_size=300))
def test_cleaning_a_cleaned_text_changes_nothing_of_the_codes(text):
    once = clean_text(text.replace("&", ""))

    assert "\x1b" not in clean_text(once)
    assert once.count("\n") == clean_text(once).count("\n")


@pytest.mark.parametrize("line", [f"│ {ERROR}      │", f"┃ {ERROR} ┃"])
def test_the_sides_of_a_terminals_box_vanish(line):
    assert cleaned(line) == [ERROR]


def test_indentation_within_a_box_stays():
    assert cleaned("│   self.run()   │") == ["  self.run()"]
