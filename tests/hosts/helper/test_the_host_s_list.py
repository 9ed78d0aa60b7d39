"""The list of what may be touched is its owner's: checked word by word, trusted when nobody else can write it."""

import json
import os

import pytest

from adapters.hosts.helper.host.allowlist import DEFAULT_PATH, parse_allowlist, read_allowlist
from adapters.hosts.helper.host.never import is_never_env, is_never_flag
from adapters.hosts.helper.refusal import Refusal
from tests.hosts.helper.gpu_host import HelperRefusedError

SERVER = {"driver": "process", "port": 8000, "argv": ["vllm", "serve", "m"]}


def parsed(tmp_path, **changed):
    server = {name: value for name, value in {**SERVER, **changed}.items() if value is not ...}
    body = {"version": 1, "state_dir": "/var/lib/x", "servers": {"vision": server}}
    return parse_allowlist(tmp_path / "helper.json", json.dumps(body))


def test_a_sound_list_is_read(tmp_path):
    found = parsed(
        tmp_path,
        env_allowed={"A": ["1"], "B": "unset-only", "C": {"pattern": "[0-9]+"}},
        flags_allowed={"--a": "drop-only"},
        log={"file": "/var/log/x.log"},
        gpus=["GPU-1"],
    ).server("vision")

    assert found.env_allowed["A"].holds("1")
    assert not found.env_allowed["A"].holds("2")
    assert not found.env_allowed["B"].holds("")
    assert found.env_allowed["C"].holds("12")
    assert not found.env_allowed["C"].holds("12\n")
    assert not found.env_allowed["C"].holds("1x")
    assert found.log_file == "/var/log/x.log"


FAULTS = {
    "an unknown key": ({"arvg": []}, "arvg"),
    "an unknown driver": ({"driver": "magic"}, "driver must be one of"),
    "no command": ({"argv": ...}, "needs argv"),
    "an empty command": ({"argv": []}, "needs argv"),
    "a unit that is missing": ({"driver": "systemd"}, "needs unit"),
    "a port as a text": ({"port": "8000"}, "port must be"),
    "a port as truth": ({"port": True}, "port must be"),
    "a port that is none": ({"port": 70000}, "port must be"),
    "a command as a text": ({"argv": "vllm serve"}, "argv must be a list"),
    "a newline in a word": ({"argv": ["vllm\n"]}, "argv must be a list"),
    "a number in the environment": ({"env": {"A": 1}}, "env must map"),
    "a name with an equals sign": ({"env": {"A=B": "1"}}, "env must map"),
    "a pattern that is none": ({"env_allowed": {"A": {"pattern": "["}}}, "cannot be read"),
    "a rule that is none": ({"env_allowed": {"A": "drop-only"}}, "unset-only"),
    "a log that is no path": ({"log": {"file": "x.log"}}, "absolute/path"),
    "a scope that is none": ({"scope": "global"}, "system or user"),
    "a user with a newline": ({"user": "a\nb"}, "user must be a text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_server(tmp_path, fault):
    changed, said = FAULTS[fault]

    with pytest.raises(Refusal) as refusal:
        parsed(tmp_path, **changed)

    assert said in refusal.value.what
    assert "vision" in refusal.value.what
    assert str(tmp_path) in refusal.value.what


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "servers": {}}', "[" * 5000, '{"version": 1}']
)
def test_what_is_no_list_is_refused(tmp_path, text):
    with pytest.raises(Refusal, match="not sound"):
        parse_allowlist(tmp_path / "helper.json", text)


def test_a_list_that_others_can_write_is_not_trusted(host):
    (host.folder / "helper.json").chmod(0o666)

    with pytest.raises(Refusal, match="not trusted"):
        read_allowlist(host.environment())


def test_a_list_behind_a_link_is_not_followed(host):
    path = host.folder / "helper.json"
    path.rename(host.folder / "elsewhere.json")
    path.symlink_to(host.folder / "elsewhere.json")

    with pytest.raises(Refusal, match="cannot be read"):
        read_allowlist(host.environment())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_list_of_another_user_is_not_trusted(host):
    os.chown(host.folder / "helper.json", 65534, 65534)

    with pytest.raises(Refusal, match="not trusted"):
        read_allowlist(host.environment())


def test_a_state_folder_that_others_can_write_is_not_trusted(host):
    host.state.mkdir()
    host.state.chmod(0o777)

    with pytest.raises(HelperRefusedError, match="state folder"):
        host.start()


def test_a_spoiled_state_file_is_told_in_a_sentence(host):
    host.stop()
    (host.state / host.name / "intent.json").write_text("{")

    with pytest.raises(HelperRefusedError) as refusal:
        host.status()

    assert refusal.value.code == "unable"
    assert "state folder" in refusal.value.next_step


def test_whoever_comes_over_ssh_gets_the_default_list(host):
    with pytest.raises(Refusal) as refusal:
        read_allowlist({**host.environment(), "SSH_CONNECTION": "127.0.0.1 5 127.0.0.1 22"})

    assert DEFAULT_PATH in refusal.value.what


CLOSED = [
    "LD_PRELOAD",
    "ld_audit",
    "PYTHONPATH",
    "PATH",
    "HF_TOKEN",
    "VLLM_API_KEY",
    "VLLM_PLUGINS",
    "https_proxy",
]
OPEN = ["VLLM_ATTENTION_BACKEND", "CUDA_VISIBLE_DEVICES", "NCCL_DEBUG", "OMP_NUM_THREADS"]
CLOSED_FLAGS = ["--trust-remote-code", "--trust_remote_code", "--api-key", "--ssl-keyfile", "--host"]
OPEN_FLAGS = ["--attention-backend", "--max-model-len", "--enforce-eager", "--dtype"]


@pytest.mark.parametrize("name", CLOSED)
def test_no_list_opens_a_variable_that_runs_code_or_is_secret(name):
    assert is_never_env(name)


@pytest.mark.parametrize("name", OPEN)
def test_a_harmless_variable_is_the_owner_s_to_allow(name):
    assert not is_never_env(name)


@pytest.mark.parametrize("name", CLOSED_FLAGS)
def test_no_list_opens_a_flag_that_runs_code_or_opens_the_door(name):
    assert is_never_flag(name)


@pytest.mark.parametrize("name", OPEN_FLAGS)
def test_a_harmless_flag_is_the_owner_s_to_allow(name):
    assert not is_never_flag(name)


def test_what_no_list_opens_is_refused_although_it_stands_there(host):
    host.list_server(env_allowed={"LD_PRELOAD": ["/x.so"]}, flags_allowed={"--trust-remote-code": [""]})

    for change in ({"env_set": {"LD_PRELOAD": "/x.so"}}, {"flags_set": {"--trust-remote-code": ""}}):
        with pytest.raises(HelperRefusedError, match="never changed from chat"):
            host.preflight(change)
