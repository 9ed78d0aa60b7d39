"""Settings from the environment and a YAML file; every fault in one sentence that names the setting."""

import os

import pytest

from bot.settings import BadSettingsError, FixedSettings, read_settings


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.upper().startswith("VLLM_DIAGNOSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def _faults(file=None):
    with pytest.raises(BadSettingsError) as caught:
        read_settings(file)
    return caught.value.faults


def _file(tmp_path, text):
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_has_to_be_set(tmp_path):
    settings = read_settings()

    assert settings.console.is_loopback
    assert settings.store_url == f"sqlite+aiosqlite:///{tmp_path}/vllm-diagnose/store.db"


def test_the_environment_wins_over_the_file_and_the_file_over_defaults(monkeypatch, tmp_path):
    file = _file(tmp_path, "console: {port: 8080, session_hours: 5}\n")
    monkeypatch.setenv("VLLM_DIAGNOSE_CONSOLE__PORT", "9090")

    settings = read_settings(file)

    assert (settings.console.port, settings.console.session_hours) == (9090, 5)


def test_the_environment_can_name_the_file(monkeypatch, tmp_path):
    monkeypatch.setenv("VLLM_DIAGNOSE_CONFIG", str(_file(tmp_path, "triage: {workers: 3}\n")))

    assert read_settings().triage.workers == 3


def test_lists_are_written_as_json_in_the_environment(monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_CONSOLE__CHANNELS", '["a", "b"]')

    assert read_settings().console.channels == ("a", "b")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("CONSOLE__PORT", "99999", ("console.port", "65535", "'99999'")),
        ("CONSOLE__PORT", "http", ("console.port", "whole number")),
        ("CONSOLE__HOST", "my-machine", ("console.host", "IP address")),
        ("CONSOLE__PUBLIC_URL", "ftp://x", ("console.public_url", "https://")),
        ("CONSOLE__CHANNELS", '["Has Space"]', ("console.channels", "'Has Space'")),
        ("CONSOLE__CHANNELS", "a,b", ("VLLM_DIAGNOSE_CONSOLE__CHANNELS", "JSON")),
        ("TRIAGE__WORKERS", "0", ("triage.workers", "VLLM_DIAGNOSE_TRIAGE__WORKERS")),
        ("STATE_DIR", "relative/path", ("state_dir", "absolute")),
        ("CONSOLE__PROT", "1", ("VLLM_DIAGNOSE_CONSOLE__PROT", "no setting")),
    ],
)
def test_a_faulty_variable_gets_one_sentence_that_names_it(monkeypatch, name, value, words):
    monkeypatch.setenv(f"VLLM_DIAGNOSE_{name}", value)

    (fault,) = _faults()

    assert all(word in fault for word in words), fault
    assert "\n" not in fault


def test_every_fault_gets_its_sentence(monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_CONSOLE__PORT", "-1")
    monkeypatch.setenv("VLLM_DIAGNOSE_TRIAGE__TIMEOUT_S", "0")
    monkeypatch.setenv("VLLM_DIAGNOSE_NOTHING", "1")

    assert len(_faults()) == 3


def test_a_password_in_an_address_is_not_repeated(monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_CONSOLE__PUBLIC_URL", "https://ada:secret@example.org/path")

    assert "secret" not in _faults()[0]


@pytest.mark.parametrize("text", ["console: [", "- a\n- b\n", "just words", "console: {colour: red}\n"])
def test_a_faulty_file_gets_one_sentence(tmp_path, text):
    (fault,) = _faults(_file(tmp_path, text))

    assert "settings.yaml" in fault or "console.colour" in fault


def test_a_missing_file_is_named(tmp_path):
    (fault,) = _faults(tmp_path / "none.yaml")

    assert "none.yaml" in fault


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("::", False), ("10.1.2.3", False)],
)
def test_only_addresses_of_this_machine_count_as_loopback(host, loopback, tmp_path):
    settings = FixedSettings(state_dir=tmp_path, console={"host": host})

    assert settings.console.is_loopback is loopback


def test_fixed_settings_hear_nothing_from_outside(monkeypatch, tmp_path):
    monkeypatch.setenv("VLLM_DIAGNOSE_CONSOLE__PORT", "9090")
    monkeypatch.setenv("VLLM_DIAGNOSE_STATE_DIR", "/elsewhere")

    settings = FixedSettings(state_dir=tmp_path)

    assert (settings.console.port, settings.state_dir) == (8765, tmp_path)
