"""The registry is read whole or not at all, and every fault has its file, its line and one sentence."""

from datetime import date

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.access.actor import Actor, Surface
from bot.access.policy import Action
from bot.hosts.reading import BadRegistryError, read_registry
from bot.hosts.registry import DriverKind, ProbeSort, TransportKind
from tests.bot.hosts.registry_text import KEY, WHOLE


@pytest.fixture
def registry_of(tmp_path):
    def read(text):
        file = tmp_path / "hosts.yaml"
        file.write_text(text)
        return read_registry(file)

    return read


def faults_of(read, text):
    with pytest.raises(BadRegistryError) as caught:
        read(text)
    return [fault.rpartition("hosts.yaml:")[2] for fault in caught.value.faults]


def test_everything_that_is_written_is_read(registry_of):
    registry = registry_of(WHOLE)

    host, server = registry.find("qwen3-vl")
    assert (host.name, host.group, host.owner, host.expires) == (
        "gpu1",
        "lab",
        "platform team",
        date(2027, 6, 30),
    )
    assert [reach.address for reach in host.route] == ["192.0.2.1", "gpu1.example.org"]
    assert host.route[-1].host_keys == (KEY,)
    assert (server.driver, server.port, server.probe) == (DriverKind.SYSTEMD, 8000, ProbeSort.VISION)
    assert server.operations == {"relaunch", "fetch"}
    assert server.approvals_needed == 2
    assert registry.host("here").transport is TransportKind.LOCAL
    assert registry.host("here").helper == ("python3", "/opt/helper.pyz", "serve-request")
    assert registry.policy.person("slack:T1:U1") == registry.policy.person("os:ada") == "ada"
    actor = Actor(Surface.DISCORD, "discord:G1:U9", frozenset({"discord:G1:role:R2"}))
    assert registry.policy.granted(actor, Action.REQUEST, "lab") == {"oncall"}
    assert registry.policy.granted(actor, Action.REQUEST, "production") == frozenset()


def test_a_user_group_of_slack_is_a_member_of_a_role(registry_of):
    registry = registry_of(WHOLE.replace("discord:G1:role:R2", "slack:T1:group:S0123ABC"))

    actor = Actor(Surface.SLACK, "slack:T1:U9", frozenset({"slack:T1:group:S0123ABC"}))
    assert registry.policy.granted(actor, Action.REQUEST, "lab") == {"oncall"}


def test_what_is_left_out_allows_nothing(registry_of):
    _, server = registry_of(WHOLE).find("tiny")

    assert (server.operations, server.approvers, server.channels) == (frozenset(), frozenset(), frozenset())
    assert server.approvals_needed == 1
    assert not server.requester_may_approve


def test_an_entry_counts_on_its_last_day_and_no_longer(registry_of):
    host = registry_of(WHOLE).host("gpu1")

    assert not host.has_expired(date(2027, 6, 30))
    assert host.has_expired(date(2027, 7, 1))


WHERE_IT_STANDS = None
BEGINNING = "version: 1"
HOST = "- name: gpu1"


@pytest.mark.parametrize(
    ("right", "wrong", "at", "sentence"),
    [
        ("port: 8000", "port: 99999", WHERE_IT_STANDS, "hosts.0.servers.0.port must be at most 65535"),
        ("port: 8000", "port: eight", WHERE_IT_STANDS, "hosts.0.servers.0.port must be a whole number"),
        (
            "driver: systemd",
            "driver: upstart",
            WHERE_IT_STANDS,
            "must be one of 'process', 'systemd', 'docker'",
        ),
        ("gpu_name: H100", "gpu: H100", WHERE_IT_STANDS, "hosts.0.servers.0.gpu is no key of the registry"),
        ("    owner: platform team\n", "", HOST, "hosts.0.owner is missing"),
        ("expires: 2027-06-30", "expires: soon", WHERE_IT_STANDS, "must be a date such as 2027-01-31"),
        (
            f'host_keys: ["{KEY}"]\n    key_file',
            "port: 22\n    key_file",
            "ssh:",
            "never trusted at first sight",
        ),
        (
            "os:ada]\n  roles",
            "Ada Lovelace]\n  roles",
            WHERE_IT_STANDS,
            "must be an id that the platform gives",
        ),
        (
            "[slack:T1:U1, os:ada]",
            "[slack:T1:group:oncall, os:ada]",
            WHERE_IT_STANDS,
            "slack:TEAM:group:GROUP",
        ),
        (
            "jump: [bastion]",
            "jump: [other]",
            BEGINNING,
            "gpu1 is reached through other, and jumps has no such",
        ),
        (
            "approvers: [lead]",
            "approvers: [boss]",
            BEGINNING,
            "approved by boss, and access.roles has no such",
        ),
        ("role: lead, may", "role: boss, may", "access:", "grants name the role boss, and roles has no such"),
        ("may: [view, request", "may: [see, request", WHERE_IT_STANDS, "must be one of 'view'"),
        ('begins: "22:00"', 'begins: "25:00"', WHERE_IT_STANDS, 'must be a time of the day such as "02:00"'),
        (
            "Europe/Berlin",
            "Mars/Olympus",
            WHERE_IT_STANDS,
            "must be a time zone such as Europe/Berlin or UTC",
        ),
        ("name: tiny", "name: qwen3-vl", BEGINNING, "two servers are called qwen3-vl"),
        ("key_file: /etc", "key_file: etc", HOST, "write the whole path, from /"),
        ("approvals_needed: 2", "approvals_needed: 0", WHERE_IT_STANDS, "must be at least 1"),
        ("gpu1.example.org", "gpu1;reboot", WHERE_IT_STANDS, "must be a host name or an IP address"),
        ("user: vllm-diagnose", "user: -oProxyCommand=x", WHERE_IT_STANDS, "must be the name of an account"),
        ("version: 1", "version: 2", WHERE_IT_STANDS, "version must be 1"),
        ("channels: [slack:T1:C1,", "channels: ['#incidents',", WHERE_IT_STANDS, "must be a channel"),
        ("helper: [python3", "jump: [bastion]\n    helper: [python3", "- name: here", "remove them"),
    ],
)
def test_a_fault_names_its_line_and_what_would_be_right(registry_of, right, wrong, at, sentence):
    assert right in WHOLE
    text = WHOLE.replace(right, wrong, 1)

    faults = faults_of(registry_of, text)

    assert len(faults) == 1
    assert sentence in faults[0]
    line = text[: text.index(at or wrong)].count("\n") + 1
    assert int(faults[0].partition(":")[0]) == line


def test_all_faults_come_at_once(registry_of):
    bad = WHOLE.replace("port: 8000", "port: x").replace("driver: systemd", "driver: x")

    assert len(faults_of(registry_of, bad)) == 2


@pytest.mark.parametrize(
    "text", ["", "- a\n", "version: 1\nversion: 1\n", "version: [\n", "\x00", "hosts: &a [*a]"]
)
def test_a_file_that_is_no_registry_is_a_fault(registry_of, text):
    assert faults_of(registry_of, text)


def test_a_missing_file_is_a_fault(tmp_path):
    with pytest.raises(BadRegistryError, match=r"none\.yaml:1: cannot be read: No such file"):
        read_registry(tmp_path / "none.yaml")


def test_a_time_that_nobody_quoted_is_read_as_it_was_meant(registry_of):
    registry = registry_of(WHOLE.replace('begins: "22:00"', "begins: 22:00"))

    assert registry.find("qwen3-vl")[1].maintenance[0].begins.hour == 22


HOSTILE = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "a\nb",
            "$(reboot)",
            "; rm -rf /",
            "../../etc",
            "-oProxyCommand=x",
            "\u202e",
            "а",
            "\x1b[2J",
            "@everyone",
        ]
    ),
)


@given(value=HOSTILE, place=st.sampled_from(["name", "address", "user", "model", "key"]))
def test_no_value_gets_further_than_its_form(tmp_path_factory, value, place):
    data = yaml.safe_load(WHOLE)
    host = data["hosts"][0]
    targets = {
        "name": (host, "name"),
        "address": (host["ssh"], "address"),
        "user": (host["ssh"], "user"),
        "model": (host["servers"][0], "model"),
        "key": (host["ssh"], "host_keys"),
    }
    inside, key = targets[place]
    inside[key] = [value] if place == "key" else value
    file = tmp_path_factory.mktemp("registry") / "hosts.yaml"
    file.write_text(yaml.safe_dump(data, allow_unicode=False), encoding="utf-8")

    try:
        registry = read_registry(file)
    except BadRegistryError as refused:
        told = str(refused)
        assert all(line.startswith(f"{file}:") for line in told.split("\n"))
        return
    read = registry.hosts[0]
    plain = {
        "name": read.name,
        "address": read.route[-1].address,
        "user": read.route[-1].user,
        "model": read.servers[0].model,
        "key": read.route[-1].host_keys[0],
    }[place]
    assert plain == value
    assert plain.isprintable() or place == "model"
    assert not plain.startswith("-")
