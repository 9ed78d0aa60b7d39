"""The chain of the journal: whole as written, and broken wherever somebody touched it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.audit.chain import Fault, Head, Keys, link, verify
from bot.audit.entry import Entry, Stage
from bot.audit.heads import append_line, head_line, heads_in

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
KEYS = Keys(b"k" * 32)


def chain_of(*details, keys=KEYS):
    links = []
    for detail in details:
        entry = Entry(NOON, Stage.RESULT, "stop", "slack:T1:U1", "done", relaunch="r1", detail=detail)
        links.append(link(entry, links[-1] if links else None, keys))
    return links


def test_a_chain_as_it_was_written_is_whole():
    assert verify(chain_of("a", "b", "c"), KEYS) is None
    assert verify([], KEYS) is None


def test_a_changed_entry_shows():
    links = chain_of("a", "b", "c")
    links[1] = replace(links[1], record=links[1].record.replace('"b"', '"x"'))

    assert verify(links, KEYS) == Fault(2, "it was changed after it was written")


def test_a_removed_entry_shows():
    links = chain_of("a", "b", "c")

    assert verify([links[0], links[2]], KEYS) == Fault(3, "entry 2 is missing")


def test_a_cut_beginning_shows():
    assert verify(chain_of("a", "b")[1:], KEYS) == Fault(2, "entry 1 is missing")


def test_an_entry_of_another_chain_shows():
    links, others = chain_of("a", "b", "c"), chain_of("x", "b", "c")

    assert verify([links[0], others[1], others[2]], KEYS) == Fault(
        2, "it does not follow the entry before it"
    )


def test_a_cut_tail_shows_only_with_a_head_that_was_exported():
    links = chain_of("a", "b", "c")
    head = Head(3, links[2].mac)

    assert verify(links[:2], KEYS) is None
    assert verify(links[:2], KEYS, [head]) == Fault(
        3, "entries are missing: the head of entry 3 was exported"
    )
    assert verify(links, KEYS, [head]) is None


def test_a_chain_written_anew_with_the_right_key_shows_against_an_exported_head():
    told = Head(2, chain_of("a", "b")[1].mac)

    fault = verify(chain_of("a", "other"), KEYS, [told])

    assert fault == Fault(2, "it is another entry than the one whose head was exported")


def test_links_of_an_earlier_key_still_check_and_of_a_foreign_one_do_not():
    old, new = b"o" * 32, b"n" * 32
    links = chain_of("a", keys=Keys(old))
    links.append(link(Entry(NOON, Stage.INTENT, "start", "bot"), links[-1], Keys(new, (old,))))

    assert verify(links, Keys(new, (old,))) is None
    assert verify(links, Keys(new)) == Fault(1, "it was made with a key that is not known here")


@given(st.text(max_size=200), st.text(max_size=50))
def test_no_text_breaks_out_of_its_line(detail, actor):
    made = link(Entry(NOON, Stage.DECISION, "approve", actor, detail=detail), None, KEYS)

    assert made.record.isascii()
    assert "\n" not in made.record
    assert verify([made], KEYS) is None


@given(st.binary(max_size=120))
def test_a_link_that_is_anything_else_is_a_fault_and_no_crash(junk):
    text = junk.decode("latin-1")
    bad = replace(chain_of("a")[0], record=text)

    assert verify([bad], KEYS) is not None


@pytest.mark.parametrize("prefix", ["", "Dec  1 12:00:00 host vllm-diagnose[7]: ", "> "])
def test_a_head_is_read_back_from_wherever_it_was_kept(prefix):
    head = Head(3, "a" * 64)

    assert heads_in(f"noise\n{prefix}{head_line(head, NOON)}\nnoise {{\n") == [head]


def test_heads_are_appended_to_a_private_file(tmp_path):
    file = tmp_path / "new" / "heads"
    append_line(file, head_line(Head(1, "a" * 64), NOON))
    append_line(file, head_line(Head(2, "b" * 64), NOON))

    assert heads_in(file.read_text()) == [Head(1, "a" * 64), Head(2, "b" * 64)]
    assert file.stat().st_mode & 0o777 == 0o600
