"""Values of fixes that are worked out of two numbers of a message."""

from hypothesis import given
from hypothesis import strategies as st

from rules.engine.remedy.arithmetic import divisor, share
from rules.engine.remedy.words import fill, placeholders


def test_a_share_leaves_some_of_the_free_memory() -> None:
    assert share("31.44", "47.38") == "0.65"


def test_a_share_that_holds_no_model_is_not_offered() -> None:
    assert share("0.22", "30.3") is None
    assert share("16.9", "79.18") is None


def test_a_share_of_no_number_is_not_offered() -> None:
    assert share("?", "47.38") is None
    assert share("1", "0") is None


def test_a_divisor_is_smaller_than_what_was_refused() -> None:
    assert divisor("3", "52") == "2"
    assert divisor("4", "28") == "2"


def test_a_divisor_is_a_power_of_two_as_other_divisors_rarely_suit_key_value_heads() -> None:
    assert divisor("8", "28") == "4"
    assert divisor("16", "40") == "8"
    assert divisor("24", "64") == "16"


def test_a_divisor_of_one_is_not_offered() -> None:
    assert divisor("2", "7") is None
    assert divisor("6", "15") is None
    assert divisor("1", "64") is None
    assert divisor("?", "28") is None


@given(st.integers(1, 300), st.integers(1, 300))
def test_a_divisor_always_divides(most: int, number: int) -> None:
    found = divisor(str(most), str(number))
    assert found is None or (
        number % int(found) == 0 and 1 < int(found) < most and int(found).bit_count() == 1
    )


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_text_breaks_the_arithmetic(first: str, second: str) -> None:
    for result in (share(first, second), divisor(first, second)):
        assert result is None or float(result) > 0


def test_a_placeholder_with_two_names_asks_for_both() -> None:
    assert placeholders("{free:share:total}") == {"free", "total"}
    assert fill("{free:share:total}", {"free": "40", "total": "80"}) == "0.49"
    assert fill("{free:share:total}", {"free": "40"}) == "?"
    assert fill("{free:unheard:total}", {"free": "40", "total": "80"}) == "?"
