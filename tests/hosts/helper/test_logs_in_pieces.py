"""A log is read from where one stopped, line by line, and only that of the present start."""

import os

from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.helper.drivers.interface import Piece
from adapters.hosts.helper.logs.bounding import bound
from adapters.hosts.helper.logs.keeping import read_file
from adapters.hosts.helper.logs.reading import read_part
from adapters.hosts.helper.redaction import Masker
from tests.hosts.helper.gpu_host import REFUSED, until

MASKER = Masker([], frozenset())
TOKEN = "hf_" + "a1B2" * 8


def reader(data: bytes):
    def read(offset: int, limit: int) -> Piece:
        part = data[offset : offset + limit]
        return Piece(part, offset, is_last=offset + limit >= len(data))

    return read


def read_all(data: bytes, limit: int) -> tuple[str, int]:
    """Read to the end, piece by piece; return the text and how much was left out."""
    offset, text, skipped = 0, "", 0
    while True:
        part = read_part(reader(data), MASKER, offset, limit, is_over=True)
        text += part["text"]
        skipped += part["skipped_bytes"]
        if part["next_offset"] >= len(data):
            return text, skipped
        assert part["next_offset"] > offset
        offset = part["next_offset"]


LINES = st.lists(st.text(alphabet="abc de\t", max_size=30), max_size=20)


@given(LINES, st.integers(min_value=40, max_value=400))
def test_pieces_make_up_the_whole(lines, limit):
    whole = "\n".join(lines)

    assert read_all(whole.encode(), limit) == (whole, 0)


@given(LINES, st.integers(min_value=1, max_value=60), st.integers(min_value=0, max_value=500))
def test_no_limit_and_no_offset_shows_half_a_secret(lines, limit, offset):
    data = "\n".join([*lines, "token " + TOKEN, *lines]).encode()

    part = read_part(reader(data), MASKER, offset, limit, is_over=True)

    assert "hf_" not in part["text"]
    assert TOKEN[-6:] not in part["text"]


def test_colours_are_left_out_and_no_secret_hides_behind_one():
    data = f"\x1b[1;36m(EngineCore pid=1)\x1b[0;0m token {TOKEN[:6]}\x1b[0m{TOKEN[6:]}\n".encode()

    text = read_part(reader(data), MASKER, 0, 1000, is_over=True)["text"]

    assert text.startswith("(EngineCore pid=1) token ")
    assert "\x1b" not in text
    assert TOKEN[-6:] not in text


@given(st.binary(max_size=600), st.integers(min_value=1, max_value=200))
def test_any_bytes_are_read_to_their_end(data, limit):
    read_all(data, limit)


def test_the_line_that_is_not_whole_waits_while_the_server_runs():
    part = read_part(reader(b"one\ntw"), MASKER, 0, 100, is_over=False)

    assert (part["text"], part["next_offset"]) == ("one\n", 4)
    assert read_part(reader(b"one\ntwo\n"), MASKER, 4, 100, is_over=False)["text"] == "two\n"


def test_states_of_a_bar_are_seen_as_they_come():
    part = read_part(reader(b"start\n\rLoading 25%\rLoading 50%"), MASKER, 6, 100, is_over=False)

    assert part["text"] == "\rLoading 25%\r"


def test_an_offset_beyond_the_end_stays_where_it_is():
    part = read_part(reader(b"one\n"), MASKER, 50, 100, is_over=False)

    assert part == {"next_offset": 50, "text": "", "skipped_bytes": 0}


def test_a_line_longer_than_the_limit_is_left_out_and_counted():
    text, skipped = read_all(b"one\n" + b"x" * 1000 + b"\ntwo\n", 100)

    assert text == "one\ntwo\n"
    assert skipped == 1001


def test_the_middle_of_a_long_log_is_given_back_and_its_offsets_stay(tmp_path):
    path = tmp_path / "long.log"
    line = b"a word " * 146 + b".\n"
    path.write_bytes(b"first\n" + line * 8192 + b"last\n")
    size, blocks = path.stat().st_size, path.stat().st_blocks

    bound(path, head=1 << 20, tail=2 << 20)

    assert path.stat().st_size == size
    assert path.stat().st_blocks < blocks / 2
    middle = read_part(
        lambda offset, limit: read_file(path, 0, offset, limit), MASKER, 2 << 20, 4096, is_over=True
    )
    assert middle["skipped_bytes"] > 1 << 20
    assert middle["text"].startswith("a word ")
    end = read_part(
        lambda offset, limit: read_file(path, 0, offset, limit), MASKER, size - 5, 4096, is_over=True
    )
    assert (end["text"], end["next_offset"]) == ("last\n", size)


def test_a_log_within_bounds_is_left_alone(tmp_path):
    path = tmp_path / "short.log"
    path.write_bytes(b"x" * 4096)

    bound(path)

    assert path.read_bytes() == b"x" * 4096


def test_each_start_has_a_log_of_its_own(host):
    host.list_server(env={"VLLM_ATTENTION_BACKEND": "FLASHINFER"})
    host.start()
    first = host.ended()["log"]
    host.stop(run=2)
    host.start({"env_unset": ["VLLM_ATTENTION_BACKEND"]}, run=2)

    host.serving()
    until("it has said all", lambda: "startup complete" in host.status()["log"]["text"])
    second = host.status()["log"]

    assert REFUSED in first["text"]
    assert REFUSED not in second["text"]
    assert first["start_id"] != second["start_id"]
    assert host.status(second["next_offset"])["log"]["text"] == ""


def test_a_log_that_the_server_writes_itself_is_read_from_where_this_start_began(host):
    log = host.folder / "own.log"
    log.write_text("of an earlier start: " + REFUSED + "\n")
    script = host.folder / "run.sh"
    script.write_text(f"#!/bin/sh\nexec {' '.join(host.argv())} >>{log} 2>&1\n")
    script.chmod(0o755)
    host.list_server(argv=[str(script)], log={"file": str(log)})
    host.start()

    text = host.serving()["log"]["text"]

    assert "vLLM API server version" in text
    assert REFUSED not in text


def test_only_the_last_logs_are_kept(host):
    host.list_server("--standin-dies-after=0")
    host.start()
    host.ended()
    folder = host.state / host.name / "log"
    for number in range(20):
        path = folder / f"old{number}.log"
        path.write_text("old")
        os.utime(path, (number, number))

    host.stop(run=2)
    host.start(run=2)

    assert 2 <= len(list(folder.glob("*.log"))) <= 11
    assert host.status()["log"]["start_id"] is not None
