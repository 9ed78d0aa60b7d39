"""Where the journal's key comes from, and which keys are refused."""

import base64

import pytest

from bot.audit.keys import KEY_VARIABLE, JournalKeyError, read_keys

NEW, OLD = base64.b64encode(b"n" * 32).decode(), base64.b64encode(b"o" * 32).decode()


def test_a_missing_file_is_made_once_and_is_private(tmp_path):
    file = tmp_path / "state" / "journal.key"

    first = read_keys(file, {})

    assert read_keys(file, {}) == first
    assert len(first.current) == 32
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["journal.key"]


def test_the_environment_wins_over_the_file(tmp_path):
    keys = read_keys(tmp_path / "none", {KEY_VARIABLE: f"{NEW} {OLD}"})

    assert (keys.current, keys.earlier) == (b"n" * 32, (b"o" * 32,))
    assert not (tmp_path / "none").exists()


def test_a_file_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "journal.key"
    file.write_text(NEW)
    file.chmod(0o644)

    with pytest.raises(JournalKeyError, match="can be read by others"):
        read_keys(file, {})


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("not base64!", "is not base64"),
        (base64.b64encode(b"short").decode(), "is too short"),
        ("  ", "is empty"),
    ],
)
def test_a_key_that_is_none_is_refused_without_being_repeated(tmp_path, value, what):
    with pytest.raises(JournalKeyError, match=what) as caught:
        read_keys(tmp_path / "none", {KEY_VARIABLE: value})

    assert not value.strip() or value not in str(caught.value)
