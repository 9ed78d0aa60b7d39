"""Whoever holds the bot's key sends what they like: the helper refuses it, and nothing happens on the host."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.helper.refusal import Refusal
from adapters.hosts.helper.request.parsing import parse
from adapters.hosts.helper.serving import answer
from tests.hosts.helper.gpu_host import BACKEND, NOTHING, HelperRefusedError

ORDER = {"server": "vision", "key": "r1:start", "fence": 1}


def start(**change) -> dict:
    return {
        "protocol": 1,
        "verb": "start",
        "order": ORDER,
        "change": {**NOTHING, **change},
        "spec_hash": "0" * 64,
        "restore_after_seconds": 60,
    }


def ordered(**changed) -> dict:
    return {**start(), "order": {**ORDER, **changed}}


def status(**changed) -> dict:
    return {"protocol": 1, "verb": "status", "server": "vision", "log_offset": 0, "log_limit": 10, **changed}


def probe(kinds) -> dict:
    asked = {"kinds": kinds, "model": "m", "timeout_seconds": 1}
    return {"protocol": 1, "verb": "probe", "server": "vision", **asked}


MALFORMED = {
    "nothing": b"",
    "no JSON": b"stop vision",
    "a shell's words": b"; rm -rf / #",
    "a list": b"[]",
    "a text": b'"stop"',
    "two objects": b'{"protocol":1,"verb":"facts"}{"protocol":1,"verb":"facts"}',
    "a key twice": b'{"protocol":1,"verb":"facts","verb":"stop"}',
    "deep": b'{"protocol":1,"verb":' + b"[" * 30000 + b"]" * 30000 + b"}",
    "deep objects": b'{"a":' * 10000 + b"1" + b"}" * 10000,
    "huge": b'{"protocol":1,"verb":"' + b"x" * 70000 + b'"}',
    "not ASCII": '{"protocol":1,"verb":"fаcts"}'.encode(),
    "no UTF-8": b'{"protocol":1,"verb":"\xff\xfe"}',
    "a lone surrogate": b'{"protocol":1,"verb":"facts","x":"\\ud800"}',
    "NaN": b'{"protocol":NaN,"verb":"facts"}',
    "infinity": b'{"protocol":1e999,"verb":"facts"}',
    "a number of many digits": b'{"protocol":' + b"1" * 5000 + b',"verb":"facts"}',
    "protocol as a text": b'{"protocol":"1","verb":"facts"}',
    "protocol as truth": b'{"protocol":true,"verb":"facts"}',
    "protocol as a fraction": b'{"protocol":1.0,"verb":"facts"}',
    "another protocol": b'{"protocol":2,"verb":"facts"}',
    "an unknown verb": b'{"protocol":1,"verb":"exec"}',
    "a private verb": b'{"protocol":1,"verb":"__class__"}',
    "a verb that is a list": b'{"protocol":1,"verb":["facts"]}',
    "a key too many": {"protocol": 1, "verb": "facts", "shell": "id"},
    "a key too few": {"protocol": 1, "verb": "snapshot"},
    "a server's folder": status(server="../../etc"),
    "a server that begins with a dot": status(server=".."),
    "a server with a newline": status(server="vision\n"),
    "a server with a NUL": status(server="vision\x00"),
    "a server that is null": status(server=None),
    "an offset below zero": status(log_offset=-1),
    "an offset as truth": status(log_offset=True),
    "an offset as a fraction": status(log_offset=0.5),
    "a limit without end": status(log_limit=1 << 40),
    "no question": probe([]),
    "a question as a text": probe("health"),
    "a question that is none of ours": probe(["health", "shell"]),
    "a question that is a list": probe([["health"]]),
    "a question twice": probe(["text", "text"]),
    "a fence as a text": ordered(fence="1"),
    "a fence of nothing": ordered(fence=0),
    "a fence without end": ordered(fence=1 << 60),
    "a key with a path": ordered(key="../r1"),
    "a key with a blank": ordered(key="r1 start"),
    "a key that is too long": ordered(key="r" * 300),
    "an order with more": ordered(user="root"),
    "time that runs backwards": {**start(), "restore_after_seconds": -1},
    "time as a text": {**start(), "restore_after_seconds": "60"},
    "no time": {**start(), "restore_after_seconds": None},
    "a hash in capitals": {**start(), "spec_hash": "A" * 64},
    "a variable with an equals sign": start(env_set={"A=B": "1"}),
    "a variable with a newline": start(env_set={BACKEND + "\n": "FLASH_ATTN"}),
    "a variable of look-alikes": start(env_set={"VLLM_АTTENTION_BACKEND": "FLASH_ATTN"}),
    "a value with a newline": start(env_set={BACKEND: "FLASHINFER\nLD_PRELOAD=/x.so"}),
    "a value with a NUL": start(env_set={BACKEND: "FLASHINFER\0"}),
    "a value of look-alikes": start(env_set={BACKEND: "FLASНINFER"}),
    "a value that turns the writing round": start(env_set={BACKEND: "\u202eRENFI"}),
    "a value as a number": start(env_set={BACKEND: 1}),
    "a flag with one dash": start(flags_set={"-tp": "2"}),
    "a flag with its value": start(flags_set={"--max-model-len=1": "2"}),
    "a flag with a blank": start(flags_set={"--max-model-len --trust-remote-code": "2"}),
    "a flag with underscores": start(flags_set={"--max_model_len": "2"}),
    "set and unset": start(env_set={BACKEND: "FLASH_ATTN"}, env_unset=[BACKEND]),
    "unset twice": start(env_unset=[BACKEND, BACKEND]),
    "unset as a text": start(env_unset=BACKEND),
    "more than anybody changes": start(env_unset=[f"A{number}" for number in range(100)]),
}
FORBIDDEN = {
    "another server": status(server="text"),
    "the loader": start(env_set={"LD_PRELOAD": "/srv/x.so"}),
    "the loader in small letters": start(env_set={"ld_preload": "/srv/x.so"}),
    "Python's path": start(env_set={"PYTHONPATH": "/srv"}),
    "the path": start(env_set={"PATH": "/srv"}),
    "plugins": start(env_set={"VLLM_PLUGINS": "evil"}),
    "taking the key off": start(env_unset=["VLLM_API_KEY"]),
    "a token": start(env_set={"HF_TOKEN": "hf_x"}),
    "our own marks": start(env_set={"RELAUNCH_CHANGE": "{}"}),
    "a value off the list": start(env_set={BACKEND: "XFORMERS"}),
    "a value with a shell's word": start(env_set={BACKEND: "FLASHINFER; rm -rf /"}),
    "a value that the pattern only begins like": start(env_set={"NCCL_DEBUG": "INFO; id"}),
    "a variable off the list": start(env_set={"VLLM_LOGGING_LEVEL": "DEBUG"}),
    "a variable off the list, unset": start(env_unset=["HOME"]),
    "code from the model": start(flags_set={"--trust-remote-code": ""}),
    "the key": start(flags_set={"--api-key": "mine"}),
    "the key, dropped": start(flags_unset=["--api-key"]),
    "the address": start(flags_set={"--host": "0.0.0.0"}),  # noqa: S104
    "another model": start(flags_set={"--model": "/srv/evil"}),
    "a flag off the list": start(flags_set={"--seed": "1"}),
    "a number off the pattern": start(flags_set={"--max-model-len": "-1"}),
    "a value for a switch": start(flags_set={"--enforce-eager": "--trust-remote-code"}),
}


def said(request) -> bytes:
    return request if isinstance(request, bytes) else json.dumps(request).encode()


@pytest.mark.parametrize("what", MALFORMED)
def test_it_is_refused_as_malformed(host, what):
    with pytest.raises(HelperRefusedError) as refusal:
        host.read(answer(said(MALFORMED[what]), host.environment()))

    assert refusal.value.code == "bad-request"
    assert len(refusal.value.what) < 300
    assert not host.state.exists()


@pytest.mark.parametrize("what", FORBIDDEN)
def test_it_is_refused_as_not_allowed(host, what):
    with pytest.raises(HelperRefusedError) as refusal:
        host.read(answer(said(FORBIDDEN[what]), host.environment()))

    assert refusal.value.code == "not-allowed"
    assert host.starts() == []
    assert not (host.state / host.name / "intent.json").exists()


def test_an_allowed_value_is_not_refused(host):
    request = {**start(env_set={BACKEND: "FLASH_ATTN", "NCCL_DEBUG": "INFO"}), "verb": "preflight"}
    del request["spec_hash"], request["restore_after_seconds"]

    assert host.read(answer(said(request), host.environment()))["checks"]


def test_the_command_line_and_what_ssh_was_asked_to_run_are_not_heeded(host):
    reply = host.send(
        host.request("facts"), "--config", "/nowhere", environ={"SSH_ORIGINAL_COMMAND": "id; cat /etc/passwd"}
    )

    # Over ssh only the list of the host's owner counts, and this machine has none.
    assert reply["error"]["code"] == "unable"
    assert "/etc/vllm-diagnose/helper.json" in reply["error"]["what"]


def verb_of(data: bytes) -> str:
    """What the helper takes a request for, or the code that it refuses it with; anything else is raised."""
    try:
        return parse(data)[0]
    except Refusal as refusal:
        return refusal.code


@given(st.binary(max_size=300))
def test_any_bytes_are_parsed_or_refused(data):
    assert verb_of(data) in ("bad-request", "facts")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["order", "change", "spec_hash", "restore_after_seconds"]), JSON)
def test_any_value_in_any_place_is_parsed_or_refused(key, value):
    assert verb_of(json.dumps({**start(), key: value}).encode()) in ("bad-request", "start")
