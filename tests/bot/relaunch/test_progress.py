"""Progress from the logs of several releases: it never falls, and only what vLLM prints moves it."""

import re
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.relaunch.running.phases import ANY, SIGNS, Phase
from bot.relaunch.running.progress import LIMITS, Progress, Watch, advance, observe, stuck
from rules.releases.shipped import load_releases
from tests.bot.relaunch.team import NOON

RELEASES = load_releases().versions()
OLD_ENGINE = """INFO 10-02 09:14:11 api_server.py:528] vLLM API server version 0.6.3
INFO 10-02 09:14:20 llm_engine.py:237] Initializing an LLM engine (v0.6.3) with config: model='m'
INFO 10-02 09:14:22 model_runner.py:1056] Starting to load model m...
Loading safetensors checkpoint shards:   0% Completed | 0/4 [00:00<?, ?it/s]
Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:01<00:01,  1.80it/s]
Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:02<00:00,  1.70it/s]
INFO 10-02 09:14:26 model_runner.py:1067] Loading model weights took 14.9888 GB
INFO 10-02 09:14:30 gpu_executor.py:122] # GPU blocks: 27896, # CPU blocks: 2048
INFO 10-02 09:14:33 model_runner.py:1395] Capturing the model for CUDA graphs. This may lead to unexpected consequences
INFO 10-02 09:14:51 model_runner.py:1523] Graph capturing finished in 18 secs.
INFO:     Started server process [1]
INFO:     Waiting for application startup.
INFO:     Application startup complete.
"""
FIRST_V1 = """INFO 06-11 10:00:00 [api_server.py:1287] vLLM API server version 0.9.1
INFO 06-11 10:00:08 [config.py:823] This model supports multiple tasks
INFO 06-11 10:00:20 [core.py:455] Waiting for init message from front-end.
INFO 06-11 10:00:20 [core.py:70] Initializing a V1 LLM engine (v0.9.1) with config: model='m'
INFO 06-11 10:00:22 [parallel_state.py:1065] rank 0 in world size 1 is assigned as DP rank 0
INFO 06-11 10:00:23 [gpu_model_runner.py:1595] Starting to load model m...
Loading safetensors checkpoint shards:  25% Completed | 1/4 [x]\rLoading pt checkpoint shards: 100% Completed | 4/4 [x]
INFO 06-11 10:00:27 [default_loader.py:272] Loading weights took 3.52 seconds
INFO 06-11 10:00:28 [gpu_model_runner.py:1624] Model loading took 14.9596 GiB and 4.6 seconds
INFO 06-11 10:00:40 [backends.py:462] Using cache directory: /root/.cache/vllm/ab for vLLM's torch.compile
INFO 06-11 10:00:40 [backends.py:472] Dynamo bytecode transform time: 8.26 s
INFO 06-11 10:00:50 [backends.py:135] Directly load the compiled graph(s) for shape None from the cache, took 5.6 s
INFO 06-11 10:00:55 [monitor.py:34] torch.compile takes 8.26 s in total
INFO 06-11 10:00:58 [gpu_worker.py:227] Available KV cache memory: 54.21 GiB
INFO 06-11 10:00:58 [kv_cache_utils.py:715] GPU KV cache size: 444,080 tokens
Capturing CUDA graphs:  50%|█████     | 33/67 [00:10<00:10,  3.20it/s]
INFO 06-11 10:01:20 [gpu_model_runner.py:2048] Graph capturing finished in 22 secs, took 0.84 GiB
INFO 06-11 10:01:20 [core.py:171] init engine (profile, create kv cache, warmup model) took 52.09 seconds
INFO 06-11 10:01:21 [api_server.py:1349] Starting vLLM API server 0 on http://0.0.0.0:8000
INFO:     Application startup complete.
"""
RECENT = (  # with colours, ranks and carriage returns
    "\x1b[1;36m(APIServer pid=1)\x1b[0;0m INFO 11-20 10:00:00 [api_server.py:1977] vLLM API server version 0.12.0\n"
    "\x1b[1;36m(EngineCore_DP0 pid=2)\x1b[0;0m INFO [core.py:93] Initializing a V1 LLM engine (v0.12.0) with config\n"
    "\x1b[1;36m(Worker_TP0 pid=3)\x1b[0;0m INFO 11-20 10:00:15 [gpu_model_runner.py:3259] Starting to load model m...\n"
    "\x1b[1;36m(Worker_TP0 pid=3)\x1b[0;0m \rLoading safetensors checkpoint shards:  56% Completed | 5/9 [x]\n"
    "(Worker_TP1 pid=4) INFO 11-20 10:00:40 [default_loader.py:314] Loading weights took 24.84 seconds\n"
    "(Worker_TP0 pid=3) INFO [gpu_model_runner.py:3338] Model loading took 12.66 GiB memory and 31.6 seconds\n"
    "(Worker_TP0 pid=3) INFO 11-20 10:00:50 [backends.py:246] Dynamo bytecode transform time: 3.54 s\n"
    "(Worker_TP0 pid=3) INFO 11-20 10:01:00 [backends.py:276] Compiling a graph for dynamic shape takes 6.33 s\n"
    "(EngineCore_DP0 pid=2) INFO 11-20 10:01:05 [kv_cache_utils.py:1229] GPU KV cache size: 100,000 tokens\n"
    "Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  50%|█████     | 17/34 [00:01<00:01, 14.2it/s]\n"
    "Capturing CUDA graphs (decode, FULL): 100%|██████████| 34/34 [00:01<00:00, 14.2it/s]\n"
    "(APIServer pid=1) INFO 11-20 10:01:20 [api_server.py:2052] Starting vLLM API server 0 on http://0.0.0.0:8000\n"
    "(APIServer pid=1) INFO:     Application startup complete.\n"
)
ON_CPU = """(APIServer pid=1) INFO 12-01 04:03:43 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0
(APIServer pid=1) INFO 12-01 04:03:43 [api_utils.py:286] non-default args: {'model_tag': 'm'}
(EngineCore pid=2) INFO 12-01 04:05:36 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='m'
(Worker pid=3) INFO 12-01 04:06:29 [cpu_model_runner.py:68] Starting to load model m...
(Worker pid=3) INFO 12-01 04:06:33 [cpu_model_runner.py:87] Warming up model for the compilation...
(EngineCore pid=2) INFO 12-01 04:08:25 [kv_cache_utils.py:2327] CPU KV cache size: 2,097,152 tokens, Maximum concurrency
(EngineCore pid=2) INFO 12-01 04:08:28 [core.py:402] init engine (profile, create kv cache, warmup model) took 114.71 s
(APIServer pid=1) INFO 12-01 04:08:35 [entry.py:140] Starting vLLM server on http://127.0.0.1:8801
INFO:     Application startup complete.
"""
LOGS = {"0.6.3": OLD_ENGINE, "0.9.1": FIRST_V1, "0.12.0": RECENT, "0.32.0 on a CPU": ON_CPU}


def steps(log: str) -> list[Progress]:
    found, progress = [], Progress()
    for line in log.splitlines(keepends=True):
        progress = advance(progress, line)
        found.append(progress)
    return found


@pytest.mark.parametrize("release", LOGS)
def test_each_line_that_says_how_far_it_is_moves_it_on_and_the_last_one_is_the_end(release):
    found = steps(LOGS[release])

    percents = [one.percent for one in found]
    assert percents == sorted(percents)
    assert (found[-1].phase, found[-1].percent) == (Phase.READY, 100)
    assert max(percents[:-1]) < 100
    phases = list(dict.fromkeys(one.phase for one in found))
    assert {Phase.BEGINNING, Phase.ENGINE, Phase.WEIGHTS, Phase.KV_CACHE, Phase.READY} <= set(phases)


@pytest.mark.parametrize("version", [str(version) for version in (*RELEASES[::8], RELEASES[-1])])
def test_every_release_prints_a_sign_of_each_phase_that_can_be_long(version):
    found = set()
    for message in load_releases().get(version).messages():
        text = re.sub(r"%[-0-9.,]*[sdfgr]|\{[^{}]*\}", "1", message.template)
        found |= {SIGNS[number].phase for number in ANY.Match(text) or ()}

    # shards and the last line are printed by other libraries
    assert {
        Phase.BEGINNING,
        Phase.ENGINE,
        Phase.WEIGHTS,
        Phase.COMPILE,
        Phase.KV_CACHE,
        Phase.GRAPHS,
    } <= found
    assert Phase.SERVING in found


def test_bars_of_shards_and_graphs_are_read_within_their_line():
    shards = advance(
        Progress(), "x\rLoading safetensors checkpoint shards:  56% Completed | 5/9 [00:13<00:11,  2.87s/it]"
    )
    graphs = advance(
        shards, "\nCapturing CUDA graphs (decode, FULL):  50%|█████     | 17/34 [00:01<00:01, 1.1it/s]"
    )

    assert (shards.phase, shards.count) == (Phase.WEIGHTS, "5/9")
    assert 12 < shards.percent < 60
    assert (graphs.phase, graphs.count) == (Phase.GRAPHS, "17/34")


def test_a_second_worker_that_is_behind_does_not_take_it_back():
    ahead = advance(
        Progress(), "Loading safetensors checkpoint shards: 100% Completed | 9/9 [00:13<00:00,  1s/it]\n"
    )
    after = advance(
        ahead, "Loading safetensors checkpoint shards:  11% Completed | 1/9 [00:01<00:11,  1s/it]\n"
    )

    assert after.percent == ahead.percent


@pytest.mark.parametrize(
    "line",
    [
        "curl says: loading",
        "the application startup is complete, I think",
        "INFO 11-30 GET /v1/models 200",
        "Traceback (most recent call last):",
        "Loading safetensors checkpoint shards: many Completed | a/b",
        "Capturing CUDA graphs: 0/0",
    ],
)
def test_other_lines_move_nothing(line):
    assert advance(Progress(), line + "\n").percent == 0


@given(st.text(), st.lists(st.integers(0, 400), max_size=8))
def test_any_text_in_any_pieces_keeps_it_between_nothing_and_all(text, cuts):
    whole = text + RECENT + text
    places = sorted({0, *(min(cut, len(whole)) for cut in cuts), len(whole)})
    progress, before = Progress(), 0.0
    for begin, end in pairwise(places):
        progress = advance(progress, whole[begin:end])
        assert before <= progress.percent <= 100
        before = progress.percent
    assert progress.percent == 100


@given(st.sampled_from(sorted(LOGS)), st.lists(st.integers(0, 3000), max_size=12))
def test_how_a_log_is_cut_into_pieces_does_not_matter(release, cuts):
    log = LOGS[release]
    places = sorted({0, *(min(cut, len(log)) for cut in cuts), len(log)})
    progress = Progress()
    for begin, end in pairwise(places):
        progress = advance(progress, log[begin:end])

    whole = advance(Progress(), log)
    assert (progress.phase, progress.percent) == (whole.phase, whole.percent)


@given(st.text("0123456789", min_size=1, max_size=5000), st.text("0123456789", min_size=1, max_size=40))
def test_absurd_numbers_of_shards_neither_crash_nor_overshoot(done, whole):
    line = f"Loading safetensors checkpoint shards: 1% Completed | {done}/{whole} [x]\n"

    assert 0 <= advance(Progress(), line).percent <= 60


def test_a_line_without_end_is_not_kept_whole():
    progress = Progress()
    for _ in range(50):
        progress = advance(progress, "x" * 100_000)

    assert len(progress.rest) <= 4_000


def test_every_phase_has_a_sign_and_a_limit():
    assert {sign.phase for sign in SIGNS} == set(Phase) == set(LIMITS)


def watched(progress=None) -> Watch:
    return Watch(progress or Progress(), NOON, NOON)


@pytest.mark.parametrize("phase", list(Phase))
def test_a_phase_in_which_nothing_moves_is_left_after_its_limit_even_if_it_is_busy(phase):
    watch = watched(Progress(phase, 50))
    limit = LIMITS[phase]
    now, cpu = NOON, 0.0
    while now - NOON < limit:
        assert stuck(watch, now) is None
        now += timedelta(minutes=1)
        cpu += 30
        watch = observe(watch, "busy\n", cpu, now)

    assert "no progress" in stuck(watch, now)
    assert phase in stuck(watch, now)


def test_one_that_logs_nothing_and_uses_no_cpu_hangs_long_before_the_limit():
    watch = watched(Progress(Phase.COMPILE, 65))
    late = NOON + timedelta(minutes=5)

    assert "hangs (compile)" in stuck(observe(watch, "", 0.3, late), late)
    assert stuck(observe(watch, "", 12.0, late), late) is None
    assert stuck(observe(watch, "a line\n", 0.0, late), late) is None


def test_progress_starts_the_clock_anew():
    late = NOON + timedelta(minutes=9)
    watch = observe(watched(), "Starting to load model m...\n", 1.0, late)

    assert watch.moved_at == late
    assert stuck(watch, late + timedelta(minutes=4)) is None


def test_a_restarted_process_counts_its_cpu_from_zero():
    watch = observe(watched(), "", 100.0, NOON)
    late = NOON + timedelta(minutes=4)
    watch = observe(watch, "", 0.5, late)

    assert watch.lived_at == late
    assert watch.cpu_seconds == 0.5
