"""A large log is read in bounded memory; what decides is kept with the right line numbers."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.matching.scan.index import build_index
from rules.engine.matching.scan.scanner import make_scanner
from rules.engine.matching.scan.windows import DEFAULT_WINDOWS, WindowLimits, read_excerpt
from rules.engine.paste.reading import WHOLE
from tests.rules.engine.matching.handmade_rules import rule, signal

INDEX = build_index([rule("rejected", signal("refuses backend", "refuses backend"))])
SCANNER = make_scanner(INDEX.keys)
CALM = 'INFO:     10.0.0.1:80 - "POST /v1/completions HTTP/1.1" 200 OK'
ENOUGH = WHOLE // len(CALM) + 100


def excerpt_of(lines, limits=DEFAULT_WINDOWS):
    return read_excerpt(io.BytesIO("\n".join(lines).encode()), INDEX, SCANNER, limits)


def numbered(excerpt):
    return dict(zip(excerpt.numbers, excerpt.text.split("\n"), strict=True))


def test_a_paste_is_read_whole():
    excerpt = excerpt_of(["one", "two"])

    assert excerpt.text == "one\ntwo"
    assert not excerpt.partial


def test_of_a_large_log_start_end_and_hits_are_kept_under_their_numbers():
    lines = [f"{CALM} {number:x}" for number in range(ENOUGH)]
    lines[ENOUGH // 2] = "Qwen refuses backend XF"
    kept = numbered(excerpt_of(lines))

    assert kept[1] == lines[0]
    assert kept[ENOUGH] == lines[-1]
    assert kept[ENOUGH // 2 + 1] == "Qwen refuses backend XF"
    assert len(kept) < ENOUGH / 2


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, ENOUGH - 1), max_size=12))
def test_every_kept_line_stands_under_its_own_number(places):
    lines = [f"{CALM} {number}" for number in range(ENOUGH)]
    for place in places:
        lines[place] = f"{place} refuses backend XF"
    kept = numbered(excerpt_of(lines))

    assert all(text in (lines[number - 1], "") for number, text in kept.items())
    assert all(kept.get(place + 1) == lines[place] for place in sorted(set(places))[:8])


def test_a_whole_traceback_is_kept_round_its_last_line():
    frames = [f'  File "/app/vllm/x{number}.py", line {number}, in f' for number in range(120)]
    trace = ["Traceback (most recent call last):", *frames, "RuntimeError: Qwen refuses backend XF"]
    kept = numbered(excerpt_of([CALM] * ENOUGH + trace + [CALM] * ENOUGH))

    assert [kept[ENOUGH + 1 + at] for at in range(len(trace))] == trace


def test_a_flood_of_one_message_does_not_push_out_another():
    flood = [f"ERROR: request {number} was refused" for number in range(ENOUGH * 2)]
    flood.insert(ENOUGH, "ValueError: the one that matters")
    excerpt = excerpt_of(flood)

    assert numbered(excerpt)[ENOUGH + 1] == "ValueError: the one that matters"
    assert not excerpt.dropped


def test_the_last_of_many_equal_hits_is_kept_for_conditions_about_order():
    lines = [CALM] * ENOUGH
    for place in range(0, ENOUGH, 500):
        lines[place] = "Qwen refuses backend XF"
    last = max(range(0, ENOUGH, 500))

    assert numbered(excerpt_of(lines))[last + 1] == "Qwen refuses backend XF"


def test_what_does_not_fit_is_left_out_oldest_first_and_said():
    limits = WindowLimits(head=100, tail=100, first=4_000, late=2_000)
    words = [f"Error: {chr(0x4E00 + number)}" + "z" * (number % 7) for number in range(3_000)]
    excerpt = excerpt_of([*words, *[CALM] * ENOUGH], limits)

    assert excerpt.dropped
    assert len(excerpt.text.encode()) < 8_000


def test_a_line_without_end_is_cut_and_said_to_be():
    excerpt = excerpt_of(["x" * (3 * WHOLE) + "Qwen refuses backend XF" + "y" * WHOLE])

    assert excerpt.cut
    assert "Qwen refuses backend XF" in excerpt.text
    assert len(excerpt.text) < WHOLE


def test_many_empty_lines_are_not_read_as_a_paste():
    assert excerpt_of(["\n" * 100_000]).partial


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_large_log_in_utf_16_with_a_mark_is_scanned_like_any_other(encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    lines = [CALM] * ENOUGH
    lines[ENOUGH // 2] = "Qwen refuses backend XF"
    source = io.BytesIO((mark + "\n".join(lines)).encode(encoding))

    assert numbered(read_excerpt(source, INDEX, SCANNER))[ENOUGH // 2 + 1] == "Qwen refuses backend XF"


def test_binary_noise_is_read_without_harm():
    noise = bytes(range(256)) * (WHOLE // 128)

    assert read_excerpt(io.BytesIO(noise), INDEX, SCANNER).partial


class Dripping:
    """A source that gives fewer bytes at a time than it is asked for."""

    def __init__(self, data, most):
        self._rest, self._most = io.BytesIO(data), most

    def read(self, size):
        return self._rest.read(min(size, self._most))


@pytest.mark.parametrize("size", [WHOLE // 2, WHOLE, 3 * WHOLE])
@pytest.mark.parametrize("most", [4096, 1 << 16, WHOLE])
def test_a_log_that_comes_in_pieces_is_read_like_one_that_comes_at_once(size, most):
    lines = [f"{CALM} {number * 2654435761 % 2**32:08x} took {number} ms" for number in range(size // 80)]
    data = "\n".join([*lines, "Qwen refuses backend XF"]).encode()

    excerpt = read_excerpt(Dripping(data, most), INDEX, SCANNER)

    assert excerpt == read_excerpt(io.BytesIO(data), INDEX, SCANNER)
    assert "Qwen refuses backend XF" in excerpt.text
