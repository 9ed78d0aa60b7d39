"""A range of releases is said in words; what is no range stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.locale.ranges import in_words


@pytest.mark.parametrize(
    ("specifier", "english", "chinese"),
    [
        ("==0.11.2", "0.11.2", "0.11.2"),
        (">=0.11.1,<0.13", "0.11.1 and later, before 0.13", "0.11.1 起、0.13 之前"),
        (">=0.13.0", "0.13.0 and later", "0.13.0 及以后"),
        ("<0.13", "before 0.13", "0.13 之前"),
        (">=0.6.3,<=0.7", "0.6.3 to 0.7", "0.6.3 至 0.7"),
        (
            ">=0.6.3,!=0.7.1,<0.8",
            "0.6.3 and later, before 0.8, without 0.7.1",
            "0.6.3 起、0.8 之前（不含 0.7.1）",
        ),
        (">=0.6.3,>0.7", ">=0.6.3,>0.7", ">=0.6.3,>0.7"),
        ("~=0.8", "~=0.8", "~=0.8"),
        ("!=0.8", "!=0.8", "!=0.8"),
        ("", "", ""),
    ],
)
def test_a_range_is_said_as_people_say_it(specifier, english, chinese):
    assert in_words(specifier, "en") == english
    assert in_words(specifier, "zh") == chinese


@given(st.text(alphabet="<>=!~,. 019a", max_size=30))
def test_no_text_breaks_it(text):
    assert isinstance(in_words(text, "en"), str)
