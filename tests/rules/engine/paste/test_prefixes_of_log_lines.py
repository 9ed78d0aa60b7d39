"""What loggers, containers and chat put before a line comes off, and is understood."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.prefixes.json_logs import unpack_json
from rules.engine.paste.prefixes.prefixed import Prefixed
from rules.engine.paste.prefixes.reader import PrefixReader

TEXT = "ValueError: No available memory for the cache blocks."


def read(line: str) -> Prefixed:
    return PrefixReader().read(line)


@pytest.mark.parametrize(
    ("prefix", "process", "level", "origin"),
    [
        # vLLM 0.6.3 to 0.7.3, 0.8.5 on, and the names of its processes through the releases
        ("ERROR 02-17 20:51:49 core.py:210] ", None, "ERROR", "core.py:210"),
        ("ERROR 11-28 07:55:57 [multiproc_executor.py:743] ", None, "ERROR", "multiproc_executor.py:743"),
        (
            "(VllmWorkerProcess pid=21574) ERROR 08-07 08:09:51 [w.py:232] ",
            "VllmWorkerProcess",
            "ERROR",
            "w.py:232",
        ),
        ("(VllmWorker rank=2 pid=477991) ", "VllmWorker rank=2", None, None),
        ("(EngineCore_0 pid=41) ERROR 08-06 20:57:06 [core.py:718] ", "EngineCore_0", "ERROR", "core.py:718"),
        ("(VllmWorker TP0 pid=9) INFO 08-30 01:28:29 [a.py:1] ", "VllmWorker TP0", "INFO", "a.py:1"),
        (
            "(Worker_TP0_EP0 pid=7) WARNING 10-06 22:12:38 [g.py:2634] ",
            "Worker_TP0_EP0",
            "WARNING",
            "g.py:2634",
        ),
        (
            "(EngineCore pid=1371) ERROR 09-03 19:44:07 [v1/engine/core.py:1330] ",
            "EngineCore",
            "ERROR",
            "v1/engine/core.py:1330",
        ),
        ("(StageEngineCoreProc pid=8146) ", "StageEngineCoreProc", None, None),
        (
            "(APIServer pid=1) (EngineCore_DP0 pid=2) (Worker_TP0 pid=3) ERROR 11-28 07:55:57 [a.py:7] ",
            "Worker_TP0",
            "ERROR",
            "a.py:7",
        ),
        (
            "(RayWorkerWrapper pid=3487, ip=192.0.2.7) ERROR 06-05 16:30:08 worker_base.py:148] ",
            "RayWorkerWrapper",
            "ERROR",
            "worker_base.py:148",
        ),
        ("INFO [flashinfer_sparse_mla_warmup.py:267] ", None, "INFO", "flashinfer_sparse_mla_warmup.py:267"),
        # what carries the output
        ("[rank0]: ", "rank0", None, None),
        ("vllm-openai_1  | (RayWorkerWrapper pid=3) ", "RayWorkerWrapper", None, None),
        (
            "browser-1  | (EngineCore_DP0 pid=546) ERROR 10-15 07:53:38 [core.py:708] ",
            "EngineCore_DP0",
            "ERROR",
            "core.py:708",
        ),
        ("app-1  | ", None, None, None),
        ("vllm    | ", None, None, None),
        (
            "Feb 04 08:47:08 gpu-host sudo[477991]: (VllmWorker rank=2 pid=477991) ",
            "VllmWorker rank=2",
            None,
            None,
        ),
        ("Feb  4 08:47:08 gpu-host vllm[12]: INFO 02-04 08:47:08 [a.py:1] ", None, "INFO", "a.py:1"),
        ("2025-02-04T08:47:08.123456789Z stderr F ERROR 02-04 08:47:08 [a.py:1] ", None, "ERROR", "a.py:1"),
        ("2025-02-04T08:47:08+0000 host vllm[12]: ", None, None, None),
        (
            "2026-04-28T14:17:50.089230833+08:00 (APIServer pid=1) ERROR 04-28 14:17:50 [s.py:257] ",
            "APIServer",
            "ERROR",
            "s.py:257",
        ),
        (
            "2026-09-03T19:49:04.3497440Z \t(EngineCore pid=1371) ERROR 09-03 19:44:07 [core.py:1330] ",
            "EngineCore",
            "ERROR",
            "core.py:1330",
        ),
        ("[pod/vllm-0/server] (EngineCore pid=1) ", "EngineCore", None, None),
        ("[1,0]<stderr>:", None, None, None),
        ("2025-03-05 14:28:45,735 - vllm.engine - ERROR - ", None, "ERROR", None),
        ("2025-03-05 14:28:45.735 | ERROR    | server:main:12 - ", None, "ERROR", None),
        ("[2025-03-05 14:28:45,735] [WARNING] [MainThread] [vllm.utils] >>> ", None, "WARNING", None),
        ("ERROR:    ", None, "ERROR", None),
        ("ERROR:root:", None, "ERROR", None),
        ("(APIServer pid=15537) INFO:     ", "APIServer", "INFO", None),
        # what is left when the start was not copied
        ("] ", None, None, None),
        ("core.py:842] ", None, None, "core.py:842"),
        ("07:55:57 [core.py:842] ", None, None, "core.py:842"),
    ],
)
def test_a_prefix_comes_off_and_is_understood(prefix, process, level, origin):
    found = read(prefix + TEXT)

    assert found.text == TEXT
    assert (found.process, found.level, found.origin) == (process, level, origin)


def test_only_vllms_own_records_and_names_count_as_its_records():
    assert read(f"ERROR 11-28 07:55:57 [core.py:842] {TEXT}").vllm_record
    assert read(f"(EngineCore_DP0 pid=1) {TEXT}").vllm_record
    assert not read(f"ERROR:    {TEXT}").vllm_record
    assert not read(f"[rank0]: {TEXT}").vllm_record
    assert not read(f"(raylet) {TEXT}").vllm_record


def test_indentation_after_a_prefix_is_kept():
    assert read("(EngineCore pid=1) ERROR 09-03 19:44:07 [core.py:1330]     raise e").text == "    raise e"
    assert read("(EngineCore pid=1)     raise e").text == "    raise e"
    assert read("vllm-1  |     raise e").text == "    raise e"


def test_rays_remark_on_repeated_lines_comes_off():
    assert read(f"(RayWorkerWrapper pid=1, ip=192.0.2.1) {TEXT} [repeated 7x across cluster]").text == TEXT


@pytest.mark.parametrize(
    "line",
    [
        "str | None",
        "(x, y) = pair()",
        "    self.visual = Qwen3_VisionTransformer(",
        '  File "/opt/vllm/core.py", line 3, in f',
        "Loading safetensors checkpoint shards: 100% Completed | 1/1 [00:00<00:00]",
        "[Gloo] Rank 0 is connected to 0 peer ranks.",
        "[2025-05-09 19:11:16 TP2] Scheduler hit an exception",
        "Process EngineCore_DP0:",
        "ERROR",
        "May I ask something?",
        "3 GPUs: A100",
        "",
    ],
)
def test_a_line_without_a_prefix_is_left_alone(line):
    assert read(line).text == line
    assert read(line).process is None


RECORDS = st.builds(
    "{} {:02}-{:02} {:02}:{:02}:{:02} [{}:{}] ".format,
    st.sampled_from(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]),
    st.integers(1, 12),
    st.integers(1, 31),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["core.py", "v1/engine/core.py", "multiproc_executor.py", "gpu_model_runner.py"]),
    st.integers(1, 9999),
)
TAGS = st.builds(
    "({} pid={}) ".format,
    st.sampled_from(["APIServer", "EngineCore_DP0", "Worker_TP3_EP3"]),
    st.integers(1, 10**7),
)
CARRIERS = st.sampled_from(
    [
        "",
        "vllm-1  | ",
        "Feb 04 08:47:08 gpu-host vllm[17]: ",
        "2025-02-04T08:47:08.1Z ",
        "2025-02-04T08:47:08Z stderr F ",
        "[pod/a/b] ",
    ]
)
MESSAGES = st.one_of(
    st.just(TEXT),
    st.just("    raise ValueError("),
    st.just(
        '  File "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 833, in run_engine_core'
    ),
    st.text(alphabet="abcdefgh XYZ.:_-", min_size=1, max_size=60).map(str.rstrip).filter(bool),
)


@given(carrier=CARRIERS, tags=st.lists(TAGS, max_size=3), record=RECORDS, message=MESSAGES)
def test_a_record_comes_back_from_under_any_stack_of_prefixes(carrier, tags, record, message):
    found = read(carrier + "".join(tags) + record + message)

    assert found.text == message
    assert found.level == record.split(" ")[0]
    assert found.origin == record.split("[")[1].split("]")[0]
    assert found.process == (tags[-1].split(" ")[0][1:] if tags else None)
    assert found.vllm_record


@given(st.lists(st.tuples(RECORDS, MESSAGES), max_size=20))
def test_a_reader_that_remembers_heads_reads_as_one_that_does_not(pairs):
    reader = PrefixReader()

    assert [reader.read(head + text) for head, text in pairs] == [read(head + text) for head, text in pairs]


@pytest.mark.parametrize(
    "record",
    [
        {"log": f"{TEXT}\n", "stream": "stderr", "time": "2025-02-04T08:47:08Z"},
        {"message": TEXT, "level": "error", "timestamp": 1},
        {"textPayload": TEXT, "resource": {}, "severity": "ERROR"},
        {"MESSAGE": TEXT, "_HOSTNAME": "h"},
    ],
)
def test_the_text_of_a_json_log_is_unpacked(record):
    assert unpack_json(json.dumps(record)) == [TEXT]


def test_a_traceback_in_one_json_line_becomes_lines():
    line = json.dumps({"message": f"Traceback (most recent call last):\n{TEXT}", "level": "ERROR"})

    assert unpack_json(line) == ["Traceback (most recent call last):", TEXT]


@pytest.mark.parametrize(
    "line",
    [
        '{"error":{"message":"The model does not exist","type":"NotFoundError"}}',
        '{"mode": "3"}',
        "{'log': 'x'}",
        '{"log": "x"',
        "{" * 5000 + "}",
        '{"a":' * 3000 + "1" + "}" * 3000,
    ],
)
def test_other_json_is_left_alone(line):
    assert unpack_json(line) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f"ERROR 2026-05-14 05:25:28.876 [core.py:1123] {TEXT}",
            Prefixed(TEXT, None, "ERROR", "core.py:1123", vllm_record=True),
        ),
        (
            f"2025-04-03 17:38:52,710 - vllm.v1.core - ERROR - {TEXT}",
            Prefixed(TEXT, None, "ERROR", vllm_record=True),
        ),
        (f"2025-04-03 17:38:52,710 - studio.jobs - ERROR - {TEXT}", Prefixed(TEXT, None, "ERROR")),
        (
            f"[2025-03-05 14:28:45,735] [WARNING] [MainThread] [vllm.utils] >>> {TEXT}",
            Prefixed(TEXT, None, "WARNING", vllm_record=True),
        ),
        (f"2025-07-17 17:31:58.857081  >> {TEXT}", Prefixed(TEXT)),
    ],
)
def test_records_in_a_form_of_ones_own_are_read(line, expected):
    assert read(line) == expected


@pytest.mark.parametrize(
    "carrier", ["2026-05-29 09:14:45,594 - INFO - [container] ", "2026-05-29 09:14:45,594 - INFO - "]
)
def test_what_only_passes_output_on_does_not_make_an_error_calm(carrier):
    assert read(carrier + TEXT) == Prefixed(TEXT)
    assert read(f"{carrier}(EngineCore_DP0 pid=9) ERROR 11-28 07:55:57 [core.py:843] {TEXT}").level == "ERROR"


def test_a_carrier_that_names_an_error_is_believed():
    assert read(f"2026-05-29 09:14:45,594 - ERROR - {TEXT}").level == "ERROR"
