"""A file is followed by its name: every byte once, whatever is done to it between two looks."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.watching.following import Follower, Remark
from bot.watching.lines import LONGEST, LineCutter


def texts(lines):
    return [line.text for line in lines]


def everything(follower):
    found = follower.look()
    while follower.is_full:
        found += follower.look()
    return texts(found)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "vllm.log"


def watching(log, *, from_start=False, mark=None):
    remarks = []
    follower = Follower(str(log), remarks.append)
    follower.open(from_start=from_start, mark=mark)
    return follower, remarks


def append(log, data):
    with log.open("ab") as file:
        file.write(data)


def test_reading_begins_at_the_end_and_knows_what_stood_there(log):
    log.write_bytes(b"old\nbegun")
    follower, _ = watching(log)

    append(log, b" and ended\nnew\n")

    assert texts(follower.before) == [b"old"]
    assert everything(follower) == [b"begun and ended", b"new"]


def test_reading_from_the_start_gives_what_is_there(log):
    log.write_bytes(b"one\ntwo\n")
    follower, _ = watching(log, from_start=True)

    assert everything(follower) == [b"one", b"two"]


def test_a_file_that_is_not_there_is_waited_for_and_that_is_said_once(log):
    follower, remarks = watching(log)

    assert everything(follower) == everything(follower) == []
    log.write_bytes(b"first\n")

    assert everything(follower) == [b"first"]
    assert remarks == [Remark.MISSING, Remark.APPEARED]


def test_a_renamed_file_is_read_to_its_end_also_after_another_has_its_name(log):
    log.write_bytes(b"")
    follower, remarks = watching(log)
    append(log, b"1\n")
    log.rename(log.with_suffix(".1"))
    append(log.with_suffix(".1"), b"2\n")
    log.write_bytes(b"3\n")

    assert everything(follower) == [b"1", b"2", b"3"]
    # a program that was not told to open its log anew goes on in the old one
    append(log.with_suffix(".1"), b"4\n")

    assert everything(follower) == [b"4"]
    assert remarks == [Remark.REPLACED]


def test_a_file_that_is_gone_for_a_while_is_read_from_its_beginning_when_it_is_back(log):
    log.write_bytes(b"old\n")
    follower, remarks = watching(log)
    log.unlink()

    assert everything(follower) == everything(follower) == []
    log.write_bytes(b"new\n")

    assert everything(follower) == [b"new"]
    assert remarks == [Remark.GONE, Remark.APPEARED]


def test_a_truncated_file_is_read_from_its_beginning(log):
    log.write_bytes(b"a long line from before\n")
    follower, remarks = watching(log)
    log.write_bytes(b"short\n")

    assert everything(follower) == [b"short"]
    assert remarks == [Remark.TRUNCATED]


def test_a_truncated_file_that_grew_past_the_place_read_is_told_by_its_first_bytes(log):
    log.write_bytes(b"before\n")
    follower, remarks = watching(log)
    log.write_bytes(b"after, and much longer than it was\n")

    assert everything(follower) == [b"after, and much longer than it was"]
    assert remarks == [Remark.TRUNCATED]


def test_the_hole_that_copytruncate_leaves_before_a_writer_is_skipped(log):
    with log.open("wb", buffering=0) as writer:
        writer.write(b"x" * 9_999 + b"\n")
        follower, _ = watching(log)
        os.truncate(log, 0)
        writer.write(b"after\n")

        assert everything(follower) == [b"after"]


def test_a_symbolic_link_that_is_pointed_elsewhere_is_followed_there(log, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1\n")
    second.write_bytes(b"2\n")
    log.symlink_to(first)
    follower, _ = watching(log, from_start=True)

    assert everything(follower) == [b"1"]
    link = tmp_path / "link"
    link.symlink_to(second)
    link.rename(log)

    assert everything(follower) == [b"2"]


def test_a_file_that_a_link_takes_the_place_of_is_followed_there(log, tmp_path):
    log.write_bytes(b"1\n")
    follower, _ = watching(log)
    (tmp_path / "other").write_bytes(b"2\n")
    log.unlink()
    log.symlink_to(tmp_path / "other")

    assert everything(follower) == [b"2"]


def test_a_link_to_itself_is_waited_for(log):
    log.symlink_to(log)
    follower, remarks = watching(log)

    assert everything(follower) == []
    assert remarks == [Remark.MISSING]


def test_a_mark_leads_back_to_where_an_earlier_life_was(log):
    log.write_bytes(b"1\n")
    follower, _ = watching(log)
    append(log, b"2\n")
    everything(follower)
    mark = follower.mark()
    follower.close()
    append(log, b"3\n")

    assert everything(watching(log, mark=mark)[0]) == [b"3"]


def test_a_mark_in_a_file_that_was_replaced_meanwhile_leads_to_the_beginning_of_the_new_one(log):
    log.write_bytes(b"1\n")
    mark = watching(log)[0].mark()
    log.write_bytes(b"2, another file under the same number\n")

    assert everything(watching(log, mark=mark)[0]) == [b"2, another file under the same number"]


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        watching(tmp_path)


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(1, 9)))
def test_lines_are_the_same_however_they_arrive(parts, cuts):
    data = b"\n".join(part.replace(b"\0", b"") for part in parts)
    whole, pieces = LineCutter(), LineCutter()
    expected = [*whole.cut(data), *whole.end()]
    found, rest = [], data
    for size in cuts:
        found += pieces.cut(rest[:size])
        rest = rest[size:]
    found += [*pieces.cut(rest), *pieces.end()]

    assert found == expected
    for line in found:
        assert data[line.offset :].startswith(line.text)


def test_a_line_without_an_end_takes_bounded_memory_and_keeps_both_its_ends():
    cutter = LineCutter()
    for _ in range(100):
        cutter.cut(b"x" * 10_000)
    (line,) = cutter.cut(b" end\n")

    assert len(line.text) == LONGEST
    assert line.text.endswith(b"x end")


def test_of_a_bar_that_is_drawn_over_and_over_its_last_state_is_kept():
    cutter = LineCutter()
    for number in range(20_000):
        cutter.cut(b"\rLoading %d/20000" % number)
    (line,) = cutter.cut(b"\n")

    assert len(line.text) <= LONGEST
    assert line.text.endswith(b"Loading 19999/20000")


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["append", "rotate", "truncate", "remove", "link"]),
        st.lists(
            st.binary(min_size=1, max_size=30).filter(lambda text: not set(text) & set(b"\n\r\0")), max_size=4
        ),
        st.booleans(),
    ),
    max_size=12,
)


@given(STEPS)
def test_every_line_is_read_once_and_in_order_whatever_happens_between(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("logs")
    log, written, read, count = folder / "log", [], [], 0
    follower, _ = watching(log, from_start=True)
    try:
        for number, (kind, lines, has_look) in enumerate(steps):
            if kind != "append":
                # what nobody looked at before it is thrown away is lost to everybody
                read += everything(follower)
            if kind == "rotate" and log.exists():
                log.rename(folder / f"log.{number}")
            if kind == "remove":
                log.unlink(missing_ok=True)
            if kind == "truncate" and log.exists():
                os.truncate(log, 0)
            if kind == "link":
                log.unlink(missing_ok=True)
                log.symlink_to(folder / f"target.{number}")
            for text in lines:
                # a counter keeps every log from beginning like another one
                count += 1
                append(log, b"%d %s\n" % (count, text))
                written.append(b"%d %s" % (count, text))
            if has_look:
                read += everything(follower)
        read += everything(follower)
    finally:
        follower.close()

    assert read == written
