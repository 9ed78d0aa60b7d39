"""Of lines that only repeat others enough stay to tell what happened, how often and in which order."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.matching.scan.thinning import thin

CALM = [f'INFO:     10.0.0.{number % 9}:80 - "POST /v1/models HTTP/1.1" 200 OK' for number in range(400)]


def kept(lines):
    """Return the lines that stay, by their number."""
    thinned = thin("\n".join(lines).encode())
    if thinned is None:
        return dict(enumerate(lines, 1))
    data, numbers = thinned
    return dict(zip(numbers, data.decode().split("\n"), strict=True))


def test_a_short_paste_is_left_as_it_is():
    assert thin(b"\n".join([b"same"] * 200)) is None


def test_a_flood_shrinks_to_its_first_lines_and_its_last():
    stayed = kept(CALM)

    assert len(stayed) < 20
    assert min(stayed) == 1
    assert max(stayed) == 400


def test_a_line_unlike_the_others_stays_wherever_it_is():
    for place in (0, 200, 399):
        lines = [*CALM]
        lines[place] = "RuntimeError: something else"

        assert kept(lines)[place + 1] == "RuntimeError: something else"


def test_a_repeated_end_stays_with_its_new_beginning():
    broken = [line for number in range(200) for line in (f"Er {chr(0x4E00 + number)} of this", "kind here")]
    stayed = kept(broken)

    assert [text for text in stayed.values() if text == "kind here"] == ["kind here"] * 200


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(["a x", "b y 1", "INFO z", "", "ERROR q"]), min_size=301, max_size=400))
def test_what_stays_is_the_original_under_its_numbers_with_the_last_of_each_kind(lines):
    stayed = kept(lines)

    assert all(lines[number - 1] == text for number, text in stayed.items())
    assert list(stayed) == sorted(stayed)
    for text in set(lines):
        assert len(lines) - lines[::-1].index(text) in stayed
