"""A larger share of the GPU is offered only where it can give what the message says is missing."""

import pytest

from rules.engine.paste.facts import Given
from rules.engine.start import start_engine

MESSAGE = (
    "ValueError: To serve at least one request with the models's max seq len (131072), ({} GiB KV cache is needed, "
    "which is larger than the available KV cache memory ({} GiB). Based on the available memory, the estimated "
    "maximum model length is 31696. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when "
    "initializing the engine."
)


@pytest.fixture(scope="module")
def engine():
    return start_engine()


def raised(engine, needed: str, available: str, gpu: str | None, command: str | None = None) -> str | None:
    given = Given(vllm_version="0.11.2", gpu=gpu, command=command)
    fixes = engine.diagnose(MESSAGE.format(needed, available), given).diagnoses[0].fixes
    return next((fix.summary for fix in fixes if fix.id == "more-memory"), None)


@pytest.mark.parametrize("gpu", ["L4", "NVIDIA A10G", "RTX 4090", "A100", "NVIDIA H100 80GB HBM3"])
def test_a_share_that_adds_less_than_is_missing_is_not_offered(engine, gpu):
    assert raised(engine, "16.00", "3.87", gpu) is None


@pytest.mark.parametrize("gpu", ["L4", "NVIDIA H100 80GB HBM3", "H200"])
def test_a_share_that_adds_enough_is_offered_without_a_condition(engine, gpu):
    assert "Only on" not in (raised(engine, "4.00", "3.50", gpu) or "Only on")


def test_a_share_from_a_lower_one_adds_more(engine):
    assert (
        raised(engine, "16.00", "3.87", "RTX 4090", "vllm serve m --gpu-memory-utilization 0.4") is not None
    )


@pytest.mark.parametrize(("gpu", "available"), [(None, "3.87"), ("A100", "13.00")])
def test_on_an_unknown_size_it_is_said_how_large_the_gpu_must_be(engine, gpu, available):
    assert "Only on a GPU of " in (raised(engine, "16.00", available, gpu) or "")


def test_numbers_that_are_none_leave_the_fix_as_it_was(engine):
    assert "Only on" not in (raised(engine, "1.2.3", "0.1", "L4") or "Only on")
