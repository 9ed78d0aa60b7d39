"""What is said while the release is unknown, given loosely, or told by an image; and what was not looked at."""

import pytest

from rules.engine.preflight import RemarkKind
from tests.rules.engine.preflight.asking import check, remarks, rules, texts


def test_without_a_release_only_what_all_of_them_refuse_is_a_fault():
    everywhere = check("vllm serve m --atention-backend FLASH_ATTN", None)
    somewhere = check("vllm serve m --attention-backend FLASH_ATTN", None)

    assert not everywhere.ok
    assert everywhere.vllm_version is None
    assert everywhere.findings[0].fixes[0].releases == ">=0.6.3,<=0.33.0"
    assert somewhere.ok
    assert "these do: 0.13.0\u20130.33.0" in remarks(somewhere)
    assert "came with vLLM 0.13.0; vLLM 0.6.3\u20130.12.0 does not take it" in remarks(somewhere)


def test_what_only_some_releases_ignore_is_a_remark_while_the_release_is_unknown():
    found = check("vllm serve m", None, env={"VLLM_ATTENTION_BACKEND": "FLASH_ATTN"})

    assert found.findings == ()
    assert "Nothing in vLLM 0.15.0\u20130.33.0 reads VLLM_ATTENTION_BACKEND=FLASH_ATTN" in remarks(found)


def test_a_launch_that_no_release_takes_whole_is_stopped():
    found = check(
        "vllm serve m --swap-space 4 --attention-backend FLASH_ATTN --fail-on-environ-validation "
        "--guided-decoding-backend x",
        None,
    )

    assert not found.ok
    assert "No release takes all" in remarks(found)


@pytest.mark.parametrize(
    ("release", "version", "ok"),
    [
        ("0.11.2", "0.11.2", False),
        ("v0.11.2", "0.11.2", False),
        ("0.11.2+cu128", "0.11.2+cu128", False),
        ("0.11.2.post1", "0.11.2.post1", False),
        ("0.11.*", None, False),
        ("0.11.x", None, False),
        (">=0.13", None, True),
        ("0.12.1.dev3", "0.12.1.dev3", True),
    ],
)
def test_a_release_may_be_given_in_many_ways(release, version, ok):
    found = check("vllm serve m --attention-backend FLASH_ATTN", release)

    assert (found.vllm_version, found.ok) == (version, ok)


def test_a_release_that_cannot_be_read_or_has_no_facts_is_said():
    unread = check("vllm serve m --prot 80", "main")
    outside = check("vllm serve m --prot 80", "9.0.0")

    assert rules(unread) == ["unknown-flag"]
    assert unread.remarks[0].kind is RemarkKind.DROPPED_INPUT
    assert (outside.findings, outside.ok) == ((), True)
    assert outside.remarks[0].kind is RemarkKind.OUTSIDE_FACTS
    assert outside.vllm_version == "9.0.0"


def test_an_image_says_the_release_and_the_platform():
    found = check("docker run --gpus all vllm/vllm-openai:v0.10.0 --model m --attention-backend X", None)
    other = check("docker run vllm/vllm-openai:v0.10.0 --model m", "0.11.2")

    assert found.vllm_version == "0.10.0"
    assert rules(found) == ["newer-flag-attention-backend"]
    assert other.vllm_version == "0.10.0"
    assert other.remarks[0].kind is RemarkKind.CONTRADICTION
    assert check("docker run vllm/vllm-openai:latest --model m", "0.11.2").vllm_version == "0.11.2"


def test_a_gpu_that_cannot_be_read_is_dropped_with_a_remark():
    found = check("vllm serve m", gpu="my old card")

    assert found.findings == ()
    assert [remark.kind for remark in found.remarks] == [RemarkKind.DROPPED_INPUT]


def test_what_will_go_is_a_remark_and_no_fault():
    found = check("vllm serve m --guided-decoding-backend auto", "0.11.2")

    assert found.findings == ()
    assert [remark.kind for remark in found.remarks] == [RemarkKind.DEPRECATED]


def test_the_answer_is_in_the_language_that_is_asked_for():
    found = check("vllm serve m --prot 80", language="zh")

    assert "没有参数 --prot" in texts(found)
    assert "改写成 --port" in found.findings[0].fixes[0].summary
