"""Blocks are whole lines and lose no byte."""

import io

from hypothesis import given
from hypothesis import strategies as st

from rules.engine.matching.scan.blocks import blocks


@given(
    st.binary(max_size=300).map(lambda data: data.replace(b"\x01", b"\n")),
    st.integers(1, 40),
    st.integers(1, 80),
)
def test_blocks_put_together_are_the_input(data, size, longest):
    assert b"".join(block.data for block in blocks(io.BytesIO(data), size, longest)) == data


@given(
    st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")), max_size=20),
    st.integers(1, 40),
)
def test_a_block_ends_where_a_line_ends(lines, size):
    data = b"\n".join(lines)
    found = list(blocks(io.BytesIO(data), size, longest=10_000))

    assert all(block.data.endswith(b"\n") for block in found[:-1])
    assert not any(block.cut for block in found)


def test_a_line_that_is_too_long_is_cut_and_said_to_be():
    found = list(blocks(io.BytesIO(b"a" * 95 + b"\nend\n"), size=10, longest=30))

    assert [block.cut for block in found[:3]] == [True, True, True]
    assert max(len(block.data) for block in found) <= 40
