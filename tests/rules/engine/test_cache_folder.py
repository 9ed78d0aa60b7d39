"""The cache is the user's own: private, whole, and never trusted when it is foreign or damaged."""

import os
from pathlib import Path

import pytest

from rules.engine.cache_folder import CacheFolder, default_cache_folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "vllm-diagnose"


def test_what_was_written_is_read(folder):
    assert CacheFolder(folder).write("kind", "key", b"body")
    assert CacheFolder(folder).read("kind", "key") == b"body"


def test_the_folder_is_closed_to_others(folder):
    CacheFolder(folder).write("kind", "key", b"body")

    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_nothing_is_read_under_another_key_or_from_no_folder(folder):
    cache = CacheFolder(folder)

    assert cache.read("kind", "key") is None
    cache.write("kind", "key", b"body")
    assert cache.read("kind", "other") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: b"",
        lambda data: data.replace(b"body", b"evil"),
    ],
)
def test_a_damaged_file_counts_as_absent(folder, damage):
    cache = CacheFolder(folder)
    cache.write("kind", "key", b"body")
    (file,) = folder.iterdir()
    file.write_bytes(damage(file.read_bytes()))

    assert cache.read("kind", "key") is None
    assert cache.write("kind", "key", b"body")
    assert cache.read("kind", "key") == b"body"


def test_a_folder_that_others_may_write_to_is_not_used(folder):
    cache = CacheFolder(folder)
    cache.write("kind", "key", b"body")
    folder.chmod(0o777)

    assert cache.read("kind", "key") is None
    assert not cache.write("kind", "key", b"body")


def test_a_file_that_others_may_write_to_is_not_read(folder):
    cache = CacheFolder(folder)
    cache.write("kind", "key", b"body")
    (file,) = folder.iterdir()
    file.chmod(0o666)

    assert cache.read("kind", "key") is None


def test_links_are_not_followed(folder, tmp_path):
    cache = CacheFolder(folder)
    cache.write("kind", "key", b"body")
    (file,) = folder.iterdir()
    moved = tmp_path / "moved"
    file.rename(moved)
    file.symlink_to(moved)
    assert cache.read("kind", "key") is None

    linked = tmp_path / "linked"
    linked.symlink_to(folder)
    assert CacheFolder(linked).read("kind", "key") is None


def test_a_place_that_cannot_be_written_is_no_error(tmp_path):
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")

    assert not CacheFolder(occupied / "below").write("kind", "key", b"body")


def test_old_files_of_a_kind_are_forgotten(folder):
    cache = CacheFolder(folder)
    for number in range(8):
        cache.write("kind", f"key{number}", b"body")
        for path in folder.iterdir():
            os.utime(path, (number, number))
    cache.write("other", "key", b"body")

    assert len(list(folder.glob("kind-*"))) <= 5
    assert cache.read("kind", "key7") == b"body"
    assert cache.read("other", "key") == b"body"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, Path("/c/vllm-diagnose")),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, Path("/h/.cache/vllm-diagnose")),
        ({"HOME": "/h"}, Path("/h/.cache/vllm-diagnose")),
        ({}, None),
    ],
)
def test_the_folder_follows_the_environment(environment, folder):
    assert default_cache_folder(environment) == folder
