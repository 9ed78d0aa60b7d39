"""Literals are only taken when every match holds them, and keys end where healthy logs seldom agree."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.matching.scan.benign import BENIGN_LOG
from rules.engine.matching.scan.literals import (
    TailCounts,
    UnprovenLiteralError,
    ignores_case,
    key_of,
    prove,
    required_runs,
)


@pytest.mark.parametrize(
    ("regex", "literal"),
    [
        (r"(?P<m>\S+) does not support (?P<b>\S+) backend", " does not support "),
        (r"out of memory: (?:tried|wanted) to allocate", "out of memory: "),
        (r"(?:alpha failed hard|beta failed hard)", " failed hard"),
        (r"(?:wrapped literal){2,3}", "wrapped literal"),
        (r"(outer (inner text) end)", "outer inner text end"),
        (r"^anchored text$", "anchored text"),
        (r"(?i)Any Case Here", "any case here"),
    ],
)
def test_a_literal_that_every_match_holds_is_proven(regex, literal):
    prove(regex, literal)


@pytest.mark.parametrize(
    ("regex", "literal"),
    [
        (r"(optional text)? rest of it", "optional text"),
        (r"(?:left branch|right branch)", "left branch"),
        (r"(?:zero or more)*x", "zero or more"),
        (r"mixed (?i:case part) here", "case part"),
        (r"short lit", "short"),
        (r"with a[b]?c class", "with abc class"),
        (r"Exact Case", "exact case"),
        (r"broken (", "broken ("),
    ],
)
def test_a_literal_that_some_match_lacks_is_refused_with_its_reason(regex, literal):
    with pytest.raises(UnprovenLiteralError) as caught:
        prove(regex, literal)

    assert caught.value.literal == literal
    assert caught.value.reason


_WORDS = st.text(alphabet="abcxyz ", min_size=1, max_size=12)


@st.composite
def _patterns(draw):
    """A pattern and a text that it matches."""
    regex, text = "", ""
    for _ in range(draw(st.integers(1, 5))):
        first, second = draw(_WORDS), draw(_WORDS)
        kind = draw(st.sampled_from(("plain", "optional", "either", "repeat")))
        take = draw(st.booleans())
        if kind == "plain":
            regex, text = regex + re.escape(first), text + first
        elif kind == "optional":
            regex, text = regex + f"(?:{re.escape(first)})?", text + (first if take else "")
        elif kind == "either":
            regex += f"(?:{re.escape(first)}|{re.escape(second)})"
            text += first if take else second
        else:
            regex, text = regex + f"(?:{re.escape(first)})+", text + first * (2 if take else 1)
    return regex, text


@given(_patterns())
def test_every_match_of_a_pattern_holds_all_its_required_runs(pattern):
    regex, text = pattern

    assert re.fullmatch(regex, text)
    assert all(run in text for run in required_runs(regex))


@given(_patterns(), _WORDS)
def test_what_is_proven_is_in_every_match(pattern, literal):
    regex, text = pattern
    literal = literal * 8
    try:
        prove(regex, literal)
    except UnprovenLiteralError:
        return

    assert literal in text


def test_a_key_is_the_beginning_of_its_literal_and_ends_on_a_rare_tail():
    literal = "Unknown attention backend: of a model that is not supported"
    key = key_of(literal, TailCounts(), caseless=False)

    assert literal.encode().startswith(key)
    assert len(key) >= 12
    assert key[-4:].lower() not in BENIGN_LOG.lower().encode()


def test_a_key_that_ignores_case_is_lower_case_ascii():
    assert ignores_case("(?i)Wörter Of Trouble")
    assert b"rter of trouble".startswith(key_of("Wörter Of Trouble", TailCounts(), caseless=True))
