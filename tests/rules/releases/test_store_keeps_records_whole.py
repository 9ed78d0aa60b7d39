import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from rules.releases.model import (
    Attention,
    Backend,
    ChosenBy,
    Flag,
    Message,
    Part,
    Reach,
    Record,
    SelectionLine,
    Source,
    Tower,
    Unread,
    Variable,
)
from rules.releases.store import FACTS, INDEX, MESSAGES, DataError, Shelf, encode, messages_file, release_file

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12)
LISTS = st.none() | st.lists(WORDS, max_size=3).map(tuple)
SOURCES = st.builds(Source, file=st.sampled_from(["vllm/a.py", "vllm/b/c.py"]), line=st.integers(1, 9999))
FLAGS = st.builds(
    Flag,
    name=WORDS,
    source=SOURCES,
    aliases=st.lists(WORDS, max_size=2).map(tuple),
    choices=LISTS,
    deprecated=st.none() | WORDS,
    default=st.none() | WORDS,
    any_case=st.booleans(),
)
VARIABLES = st.builds(Variable, name=WORDS, source=SOURCES, choices=LISTS, deprecated=st.none() | WORDS)
MESSAGES_OF = st.builds(Message, template=WORDS, kind=WORDS, source=SOURCES)
BACKENDS = st.builds(
    Backend,
    name=WORDS,
    source=SOURCES,
    capabilities=LISTS,
    head_sizes=st.none() | st.lists(st.integers(8, 512), max_size=3).map(tuple),
    dtypes=LISTS,
    kv_cache_dtypes=LISTS,
    block_sizes=LISTS,
    attention_types=LISTS,
    sinks=st.none() | st.booleans(),
)
REACHES = st.builds(
    Reach,
    setting=WORDS,
    parts=st.lists(st.sampled_from(Part), max_size=2).map(tuple),
    unread=st.sampled_from(Unread),
    message=st.none() | WORDS,
    source=st.none() | SOURCES,
)
LINES = st.builds(
    SelectionLine,
    part=st.sampled_from(Part),
    chosen_by=st.sampled_from(ChosenBy),
    platform=WORDS,
    backend=st.none() | WORDS,
    template=WORDS,
    source=SOURCES,
)
TOWERS = st.builds(
    Tower,
    label=WORDS,
    accepts=st.lists(WORDS).map(tuple),
    message=WORDS,
    source=SOURCES,
    reachable=st.booleans(),
)


def _many(facts):
    return st.lists(facts, max_size=4).map(tuple)


ATTENTION = st.builds(
    Attention,
    backends=_many(BACKENDS),
    towers=_many(TOWERS),
    reaches=_many(REACHES),
    selection_lines=_many(LINES),
    text_orders=st.just(()),
    tower_defaults=st.just(()),
    tower_choices=st.just(()),
    rescues=st.just(()),
    prefixes=st.just(()),
    packages=_many(st.tuples(WORDS, WORDS)),
)
RECORDS = st.builds(
    Record,
    version=st.sampled_from(["0.6.3", "0.6.3.post1", "0.10.0", "0.9.2"]),
    attention=ATTENTION,
    flags=_many(FLAGS),
    dotted_flags=_many(FLAGS),
    variables=_many(VARIABLES),
    messages=_many(MESSAGES_OF),
    remarks=_many(WORDS),
)
PLAIN = Record("0.9.2", Attention(), (Flag("--a", Source("vllm/a.py", 3)),), (), (), ())


def _shelf(files):
    return Shelf(files.__getitem__)


@settings(max_examples=30, deadline=None)
@given(st.lists(RECORDS, max_size=3, unique_by=lambda record: record.version))
def test_what_is_stored_comes_back_whole(records):
    shelf = _shelf(encode(records))

    assert {record.version: record for record in records} == {
        str(version): shelf.record(str(version)) for version in shelf.versions()
    }


@settings(max_examples=30, deadline=None)
@given(st.lists(RECORDS, max_size=3, unique_by=lambda record: record.version))
def test_the_same_records_give_the_same_bytes_in_any_order(records):
    assert encode(records) == encode(list(reversed(records)))


@settings(max_examples=30, deadline=None)
@given(st.lists(RECORDS, min_size=2, max_size=3, unique_by=lambda record: record.version))
def test_a_newer_release_leaves_the_small_files_of_older_ones_as_they_are(records):
    *old, newest = sorted(records, key=lambda record: Version(record.version))

    before, after = encode(old), encode([*old, newest])

    for record in old:
        assert after[release_file(record.version)] == before[release_file(record.version)]
        assert after[messages_file(record.version)] == before[messages_file(record.version)]


def test_a_fact_that_only_moved_is_kept_once():
    moved = replace(PLAIN, version="0.10.0", flags=(Flag("--a", Source("vllm/a.py", 99)),))
    files = encode([PLAIN, moved])

    shelf = _shelf(files)

    assert shelf.section("0.9.2", "flags")[0].source.line == 3
    assert shelf.section("0.10.0", "flags")[0].source.line == 99
    assert len(shelf._content(FACTS)["tables"]["flags"]) == 1


def test_releases_are_ordered_as_versions():
    versions = ("0.10.0", "0.9.2", "0.6.3.post1", "0.6.3")
    files = encode([replace(PLAIN, version=version) for version in versions])

    assert json.loads(files[INDEX])["releases"] == ["0.6.3", "0.6.3.post1", "0.9.2", "0.10.0"]


def test_facts_are_read_without_the_table_of_messages():
    files = encode([PLAIN])
    asked = []

    def read(file):
        asked.append(file)
        return files[file]

    shelf = Shelf(read)
    shelf.versions()
    shelf.attention("0.9.2")
    shelf.section("0.9.2", "flags")
    shelf.section("0.9.2", "flags")

    assert sorted(asked) == sorted([INDEX, FACTS, release_file("0.9.2")])
    assert MESSAGES not in asked


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [(FACTS, b"no gzip", "damaged"), (INDEX, b'{"schema": 99}', "schema"), (INDEX, b"[]", "schema")],
)
def test_a_file_that_cannot_be_used_is_named(file, content, why):
    shelf = _shelf({**encode([PLAIN]), file: content})

    with pytest.raises(DataError, match=why) as error:
        _ = shelf.versions() and shelf.section("0.9.2", "flags")
    assert error.value.file == file
