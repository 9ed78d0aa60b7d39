"""Hyperscan and RE2's set find the same keys in the same places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.matching.scan.index import Key
from rules.engine.matching.scan.scanner import (
    HyperscanScanner,
    NoScanner,
    SetScanner,
    hyperscan_available,
    load_hyperscan,
    make_scanner,
)

needs_hyperscan = pytest.mark.skipif(
    not hyperscan_available(), reason="Hyperscan has no wheel for this machine"
)

_BYTES = st.lists(
    st.sampled_from([b"a", b"b", b"A", b"ab", b"\n", b"\x00", b"\xff", "ö".encode(), b".*"]), max_size=60
).map(b"".join)
_KEYS = st.lists(
    st.builds(
        lambda data, caseless: Key(data.lower() if caseless else data, caseless),
        st.text(alphabet="abAB.*", min_size=1, max_size=6).map(str.encode),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


def _plain(keys, block):
    """Return what a search byte by byte finds."""
    found = []
    for number, key in enumerate(keys):
        text = block.lower() if key.caseless else block
        found += [(at + len(key.data), number) for at in range(len(text)) if text.startswith(key.data, at)]
    return sorted(found)


@given(_KEYS, _BYTES)
def test_the_set_scanner_finds_every_occurrence(keys, block):
    assert SetScanner(keys).scan(block) == _plain(keys, block)


@needs_hyperscan
@given(_KEYS, _BYTES)
def test_hyperscan_finds_every_occurrence(keys, block):
    assert HyperscanScanner.compile(keys).scan(block) == _plain(keys, block)


@needs_hyperscan
def test_a_stored_database_finds_the_same():
    scanner = HyperscanScanner.compile([Key(b"does not support "), Key(b"any case", caseless=True)])
    block = b"x does not support y\nANY Case\n"
    loaded = load_hyperscan(scanner.dump())

    assert loaded is not None
    assert loaded.scan(block) == scanner.scan(block) != []


@needs_hyperscan
def test_a_damaged_database_is_refused():
    assert load_hyperscan(b"not a database") is None


def test_a_catalogue_without_keys_finds_nothing():
    assert isinstance(make_scanner([]), NoScanner)
    assert make_scanner([]).scan(b"anything") == []
