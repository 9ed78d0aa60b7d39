"""Which server is meant: a guess that orders a picker, and no more."""

from dataclasses import replace

import pytest

from bot.hosts.guess import Hints, candidates, named_in, replicas, the_one
from bot.hosts.reading import read_registry
from tests.bot.hosts.registry_text import WHOLE


@pytest.fixture
def registry(tmp_path):
    file = tmp_path / "hosts.yaml"
    file.write_text(WHOLE)
    read = read_registry(file)
    gpu1, here = read.hosts
    twin = replace(gpu1.servers[0], name="qwen3-vl-b", port=8002)
    return replace(read, hosts=(replace(gpu1, servers=(*gpu1.servers, twin)), here))


def names(registry, **hints):
    return [one.server.name for one in candidates(registry, Hints(**hints))]


def test_nothing_known_means_nobody(registry):
    assert names(registry) == []
    assert the_one(()) is None


@pytest.mark.parametrize(
    "model", ["Qwen/Qwen3-VL-8B-Instruct", "/models/Qwen3-VL-8B-Instruct/", "qwen3-vl-8b-instruct"]
)
def test_the_model_finds_its_servers_however_it_is_written(registry, model):
    assert names(registry, model=model) == ["qwen3-vl", "qwen3-vl-b"]


def test_replicas_are_told_apart_by_the_port(registry):
    found = candidates(registry, Hints(model="Qwen/Qwen3-VL-8B-Instruct", port=8002))

    assert the_one(found).server.name == "qwen3-vl-b"


def test_replicas_that_nothing_tells_apart_are_for_a_person_to_pick(registry):
    assert the_one(candidates(registry, Hints(model="Qwen/Qwen3-VL-8B-Instruct"))) is None
    assert replicas(registry, *registry.find("qwen3-vl")) == ("qwen3-vl", "qwen3-vl-b")


def test_servers_of_one_model_in_two_groups_are_no_replicas(registry):
    host, server = registry.find("qwen3-vl")

    assert replicas(registry, replace(host, group="another"), server) == ()


def test_another_model_rules_a_server_out_even_on_the_right_port(registry):
    assert names(registry, model="meta-llama/Llama-3.1-8B", port=8000, words=frozenset({"gpu1"})) == []


def test_the_name_of_a_machine_counts_and_that_of_a_server_more(registry):
    assert names(registry, words=frozenset({"GPU1.example.org"})) == ["qwen3-vl", "qwen3-vl-b"]
    assert (
        the_one(candidates(registry, Hints(words=frozenset({"gpu1", "qwen3-vl-b"})))).server.name
        == "qwen3-vl-b"
    )


def test_the_channel_alone_is_a_hint(registry):
    assert names(registry, channel="slack:T1:C1") == ["qwen3-vl", "qwen3-vl-b"]
    assert names(registry, channel="slack:T1:C2") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("it died on gpu1 again", {"gpu1"}),
        ("GPU1.example.org systemd[1]: vllm failed", {"gpu1", "gpu1.example.org"}),
        ("gpu12 and my-gpu1 and gpu1-b are others", set()),
        # the model of the paste is no server, though one is called like it
        ("RuntimeError: Qwen3-VL does not support this", set()),
        ("", set()),
    ],
)
def test_names_of_machines_are_found_where_they_stand_by_themselves(registry, text, found):
    assert named_in(text, registry) & {"gpu1", "gpu1.example.org", "qwen3-vl"} == found
