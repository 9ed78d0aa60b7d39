"""A run over the real helper: real processes on this machine, a stand-in for vLLM, the real engine on its log."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from adapters.hosts.client import HelperHost
from adapters.hosts.transport.local import LocalTransport
from bot.relaunch.interface import Pace
from bot.relaunch.states import State
from bot.verification.looking import EngineLooker
from rules.engine.start import start_engine
from tests.bot.relaunch.team import Memory, a_registry, a_team, quick
from tests.hosts.helper.gpu_host import BACKEND, MODEL, GpuHost


class RealTime:
    """The clock, and waits that are shortened."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.2))


@pytest.fixture(scope="module")
def looker():
    engine = start_engine()

    async def diagnose(log):
        return engine.diagnose(log)

    return EngineLooker(diagnose)


@asynccontextmanager
async def a_broken_server(tmp_path, looker, *flags):
    """The seed's server: it ended with FlashInfer, and its log was diagnosed."""
    folder = tmp_path / "gpu"
    folder.mkdir()
    gpu = GpuHost(folder, name="qwen")
    gpu.list_server(*flags, env={BACKEND: "FLASHINFER", "HF_TOKEN": "hf_" + "s3cret" * 5})
    try:
        await asyncio.to_thread(gpu.start)
        status = await asyncio.to_thread(gpu.ended)
        failure = await looker.failure_in(status["log"]["text"])
        assert failure is not None
        transport = LocalTransport("gpu-1", tuple(gpu.command()), gpu.environment())
        registry = a_registry(port=gpu.port, model=MODEL, vllm_version="0.11.2")
        async with a_team(
            tmp_path, host=HelperHost("gpu-1", transport), now=RealTime(), registry=registry, looker=looker
        ) as team:
            quick(team, pace=Pace(status=0.1, retry=0.1))
            yield gpu, team, failure.fingerprint
    finally:
        await asyncio.to_thread(gpu.clean)


async def test_the_seed_is_mended_proven_and_kept(tmp_path, looker):
    async with a_broken_server(tmp_path, looker) as (gpu, team, fingerprint):
        relaunch_id = await team.approved(fingerprint=fingerprint, is_vision=True)

        assert await team.run(relaunch_id) == State.COMMITTED

        assert BACKEND not in gpu.snapshot_env()
        assert len(gpu.starts()) == 2
        entries = await team.journalled()
        proof = next(entry["detail"] for entry in entries if entry["act"] == "verify")
        assert "Using FLASH_ATTN backend." in proof
        assert "s3cret" not in str(entries)
        assert "s3cret" not in str(await team.runs.get(relaunch_id))


@pytest.mark.parametrize(
    ("fault", "doubts"), [("engine-dead", {"text", "image"}), ("wrong-model", {"models"})]
)
async def test_a_server_that_only_seems_to_work_is_taken_back(tmp_path, looker, fault, doubts):
    async with a_broken_server(tmp_path, looker, f"--standin-faults={fault}") as (gpu, team, fingerprint):
        relaunch_id = await team.approved(fingerprint=fingerprint, is_vision=True)

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        moments = await team.runs.moments(relaunch_id)
        findings = next(moment.facts["findings"] for moment in moments if "findings" in moment.facts)
        failed = {check for check, outcome, _ in findings if outcome == "failed"}
        assert failed - {"text", "image"} == doubts - {"text", "image"}
        assert doubts <= failed
        assert gpu.snapshot_env()[BACKEND] == "FLASHINFER"
        assert len(gpu.starts()) == 3


@pytest.mark.parametrize("spoilt", ["helper.json", "intent.json"])
@pytest.mark.parametrize(
    ("step", "end"), [("check", State.VOIDED), ("launch", State.ROLLBACK_FAILED)], ids=["before", "after"]
)
async def test_a_host_whose_files_are_spoilt_ends_the_run_and_says_which(tmp_path, looker, spoilt, step, end):
    async with a_broken_server(tmp_path, looker) as (gpu, team, fingerprint):
        relaunch_id, memory = await team.approved(fingerprint=fingerprint), Memory()
        (file,) = gpu.folder.rglob(spoilt)
        whole = file.read_text()

        async def spoil(name, work):
            if name == step:
                file.write_text("{")
            return await Memory.step(memory, name, work)

        memory.step = spoil
        try:
            assert await team.run(relaunch_id, memory) == end
        finally:
            file.write_text(whole)

        assert len(gpu.starts()) == 1
        assert "refuses" in (await team.runs.get(relaunch_id)).detail
