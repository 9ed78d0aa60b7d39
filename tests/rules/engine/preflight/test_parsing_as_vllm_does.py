"""The words of a launch are taken apart as argparse and vLLM's additions to it do."""

import shlex

import pytest

from rules.engine.preflight.reading.options import ProblemKind
from rules.engine.preflight.reading.parsing import parse
from rules.releases.shipped import load_releases


def parsed(words, release="0.20.2", *, serve=True):
    return parse(load_releases().get(release), shlex.split(words), serve=serve)


def problems(words, release="0.20.2"):
    return [(one.kind, one.spelled) for one in parsed(words, release).problems]


@pytest.mark.parametrize(
    "words",
    [
        "m --tensor-parallel-size 4",
        "m --tensor-parallel-size=4",
        "m --tensor_parallel_size 4",
        "m --tensor_parallel_size=4",
        "m -tp 4",
        "m -tp=4",
        "m --tensor-par 4",
        "--tensor-parallel-size 4 m",
        "-tp 4 --enforce-eager m",
        "m --tensor-parallel-size 2 -tp 4",
    ],
)
def test_a_flag_may_be_written_in_many_ways(words):
    found = parsed(words)

    assert found.problems == ()
    assert found.model == "m"
    assert found.value("--tensor-parallel-size") == "4"


def test_a_switch_has_an_opposite_and_takes_no_value():
    assert parsed("m --enable-prefix-caching").is_on("--enable-prefix-caching") is True
    assert parsed("m --no-enable-prefix-caching").is_on("--enable-prefix-caching") is False
    assert parsed("m").is_on("--enable-prefix-caching") is None
    assert problems("m --enforce-eager=true") == [(ProblemKind.UNWANTED_VALUE, "--enforce-eager")]
    assert problems("m --enforce-eager true") == [(ProblemKind.EXTRA_WORD, "true")]


def test_older_switches_take_true_and_false():
    assert parsed("m --enable-chunked-prefill False", "0.6.3").is_on("--enable-chunked-prefill") is False
    assert parsed("m --enable-chunked-prefill --port 1", "0.6.3").is_on("--enable-chunked-prefill") is True


def test_the_level_of_optimization_may_stick_to_its_letter():
    assert parsed("m -O3", "0.11.2").value("--compilation-config") == "3"
    assert parsed("m -O3", "0.20.2").value("--optimization-level") == "3"
    assert parsed("m -O=3", "0.20.2").value("--optimization-level") == "3"
    assert parsed("m -O 3", "0.20.2").value("--optimization-level") == "3"


def test_keys_of_json_flags_come_one_by_one():
    found = parsed(
        "m --attention-config.backend FLASH_ATTN --compilation-config.mode=3 -cc.cudagraph_mode NONE"
    )

    assert found.problems == ()
    assert found.value("--attention-config.backend") == "FLASH_ATTN"
    assert found.value("--compilation-config.mode") == "3"
    assert found.value("--compilation-config.cudagraph_mode") == "NONE"
    assert problems("m --attention-config.nonsense 1") == [
        (ProblemKind.UNKNOWN_KEY, "--attention-config.nonsense")
    ]
    assert problems("m --hf-overrides.anything 1") == []
    assert problems("m --compilation-config.level 3", "0.8.5") == [
        (ProblemKind.UNKNOWN_FLAG, "--compilation-config.level")
    ]


def test_some_flags_take_several_words_and_some_one_or_none():
    found = parsed("m --served-model-name a b --lora-modules x=/x y=/y --hf-token --port 80")

    assert found.problems == ()
    assert found.option("--served-model-name").values == ("a", "b")
    assert found.option("--lora-modules").values == ("x=/x", "y=/y")
    assert found.option("--hf-token").values == ()


def test_the_model_may_be_named_by_a_flag():
    found = parsed("--port 80 --model org/m --dtype half")

    assert (found.model, found.model_by_flag) == ("org/m", True)
    assert parsed("--model=org/m").model == "org/m"
    assert parsed("--model org/m", serve=False).model == "org/m"
    assert parsed("--port 80").model is None


@pytest.mark.parametrize(
    ("words", "kind", "spelled"),
    [
        ("m --no-such-flag", ProblemKind.UNKNOWN_FLAG, "--no-such-flag"),
        ("m --no-such-flag=1", ProblemKind.UNKNOWN_FLAG, "--no-such-flag"),
        ("m -z 1", ProblemKind.UNKNOWN_FLAG, "-z"),
        ("m --max-num 3", ProblemKind.AMBIGUOUS, "--max-num"),
        ("m --port", ProblemKind.NO_VALUE, "--port"),
        ("m --port --dtype half", ProblemKind.NO_VALUE, "--port"),
        ("m other", ProblemKind.EXTRA_WORD, "other"),
    ],
)
def test_the_parser_stops_at(words, kind, spelled):
    assert problems(words) == [(kind, spelled)]


def test_a_negative_number_is_a_value():
    assert parsed("m --max-logprobs -1").value("--max-logprobs") == "-1"
    assert parsed("m --seed -5").problems == ()
