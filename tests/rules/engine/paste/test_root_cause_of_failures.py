"""The innermost cause of the process that failed first, among echoes, wrappers and remains."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.exception_lines import find_exception_inside, read_exception_line
from rules.engine.paste.reading import read_paste
from rules.engine.paste.rootcause import CauseReading, Kind, find_root_cause, is_wrapper
from rules.engine.paste.tracebacks import Link, read_tracebacks

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"


def causes(text: str) -> CauseReading:
    return find_root_cause(read_paste(textwrap.dedent(text)).lines)


def traceback(
    error: str, prefix: str = "", file: str = "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py"
) -> str:
    lines = [
        "Traceback (most recent call last):",
        f'  File "{file}", line 833, in run',
        "    self.run()",
        "    ^^^^^^^^^^",
        error,
    ]
    return "\n".join(prefix + line for line in lines)


START_UP = "\n".join(
    [
        "(APIServer pid=1) INFO 12-01 04:40:20 [api_server.py:1977] vLLM API server version 0.11.2",
        "(EngineCore_DP0 pid=2) ERROR 12-01 04:40:22 [core.py:842] EngineCore failed to start.",
        traceback(SEED, "(EngineCore_DP0 pid=2) ERROR 12-01 04:40:22 [core.py:842] "),
        "(EngineCore_DP0 pid=2) Process EngineCore_DP0:",
        traceback(SEED, "(EngineCore_DP0 pid=2) "),
        traceback(WRAPPER, "(APIServer pid=1) "),
    ]
)


def test_the_cause_stands_in_the_child_and_the_wrapper_at_the_end_is_none():
    found = causes(START_UP)

    assert found.root is not None
    assert (found.root.number, found.root.text, found.root.process) == (7, SEED, "EngineCore_DP0")
    assert [wrapper.text for wrapper in found.wrappers] == [WRAPPER]
    assert [(echo.text, echo.count) for echo in found.echoes] == [(SEED, 1)]


def test_since_0_31_a_bare_traceback_repeats_the_record_and_adds_two_wrappers():
    text = "\n".join(
        [
            traceback(
                "ValueError: Unknown RoPE scaling type warp",
                "(Worker pid=15) ERROR 12-01 04:40:04 [multiproc_executor.py:953] ",
            ),
            traceback(
                "Exception: WorkerProc initialization failed due to an exception in a background process.",
                "(EngineCore pid=14) ERROR 12-01 04:40:05 [core.py:1510] ",
            ),
            "Process EngineCore:",
            traceback(
                "Exception: WorkerProc initialization failed due to an exception in a background process."
            ),
            traceback(WRAPPER),
        ]
    )
    found = causes(text)

    assert found.root is not None
    assert (found.root.text, found.root.process) == ("ValueError: Unknown RoPE scaling type warp", "Worker")
    assert len(found.wrappers) == 3


def test_workers_whose_lines_are_mixed_are_read_one_by_one():
    streams = [
        traceback(
            f"torch.OutOfMemoryError: CUDA out of memory. GPU {rank}",
            f"(Worker_TP{rank} pid={rank}) ERROR 12-01 04:40:22 [w.py:1] ",
        ).split("\n")
        for rank in range(4)
    ]
    mixed = [line for group in zip(*streams, strict=True) for line in group]
    lines = read_paste("\n".join(mixed)).lines

    blocks = read_tracebacks(lines)

    assert [block.process for block in blocks] == [f"Worker_TP{rank}" for rank in range(4)]
    assert [block.raised[0].message for block in blocks] == [
        f"CUDA out of memory. GPU {rank}" for rank in range(4)
    ]
    assert all(len(block.frames) == 1 and not block.cut for block in blocks)
    root = find_root_cause(lines).root
    assert root is not None
    assert root.process == "Worker_TP0"


def test_two_processes_of_one_name_are_told_apart_by_their_ids():
    mixed = [
        "(Worker pid=1) Traceback (most recent call last):",
        "(Worker pid=2) Traceback (most recent call last):",
        '(Worker pid=1)   File "a.py", line 1, in f',
        '(Worker pid=2)   File "b.py", line 1, in f',
        "(Worker pid=1) ValueError: one",
        "(Worker pid=2) ValueError: two",
    ]

    assert [
        (block.frames, block.raised[0].message)
        for block in read_tracebacks(read_paste("\n".join(mixed)).lines)
    ] == [
        (("a.py",), "one"),
        (("b.py",), "two"),
    ]


def test_of_a_chain_the_innermost_is_the_cause():
    text = "\n".join(
        [
            traceback("ModuleNotFoundError: No module named 'flash_attn'"),
            "",
            "The above exception was the direct cause of the following exception:",
            "",
            traceback("RuntimeError: Failed to load the encoder"),
            "",
            "During handling of the above exception, another exception occurred:",
            "",
            traceback(WRAPPER),
        ]
    )
    found = causes(text)

    assert len(found.tracebacks) == 1
    assert [raised.link for raised in found.tracebacks[0].raised] == [Link.NONE, Link.CAUSED, Link.DURING]
    assert found.root is not None
    assert found.root.text == "ModuleNotFoundError: No module named 'flash_attn'"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("KeyError: 'gemma3'", "ValueError: The checkpoint you are trying to load has model type `gemma3`"),
        (
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
            "OSError: It looks like the config file is not valid JSON",
        ),
        (
            "huggingface_hub.errors.HFValidationError: Repo id must be in the form",
            "OSError: Incorrect path_or_model_id: '/models/x'",
        ),
    ],
)
def test_an_exception_caught_to_explain_it_gives_way_to_the_explanation(first, second):
    text = "\n".join(
        [
            traceback(first),
            "",
            "During handling of the above exception, another exception occurred:",
            "",
            traceback(second),
        ]
    )

    root = causes(text).root

    assert root is not None
    assert root.text == second


def test_a_key_error_that_nobody_explains_is_the_cause():
    root = causes(traceback("KeyError: 'layers.0.mlp.down_proj.weight'")).root

    assert root is not None
    assert root.short_name == "KeyError"


def test_of_a_pydantic_error_the_deciding_line_belongs_to_the_text():
    root = causes(
        """\
        pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig
          Value error, Invalid value 'flash_attn' for VLLM_ATTENTION_BACKEND. [type=value_error]
            For further information visit https://errors.pydantic.dev/2.14/v/value_error
        """
    ).root

    assert root is not None
    assert root.number == 1
    assert root.text.startswith(
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig | "
        "Value error, Invalid value 'flash_attn' for VLLM_ATTENTION_BACKEND."
    )


def test_of_a_pydantic_error_on_a_field_the_deciding_line_is_the_one_below_the_field():
    root = causes(
        """\
        pydantic_core._pydantic_core.ValidationError: 2 validation errors for SchedulerConfig
        max_num_seqs
          Input should be greater than or equal to 1 [type=greater_than_equal, input_value=0, input_type=int]
        """
    ).root

    assert root is not None
    assert root.detail == (
        "Input should be greater than or equal to 1 [type=greater_than_equal, input_value=0, input_type=int]"
    )


@pytest.mark.parametrize(
    "line",
    [
        "vllm: error: unrecognized arguments: --attention-backend FLASH_ATTN",
        "vllm serve: error: argument --dtype: invalid choice: 'float8'",
        "api_server.py: error: unrecognized arguments: /models/x",
        "__main__.py: error: unrecognized arguments: --disable-log-requests",
    ],
)
def test_an_argument_parsers_refusal_is_a_cause(line):
    root = causes(f"usage: vllm serve [model_tag] [options]\n{line}").root

    assert root is not None
    assert root.text == line


@pytest.mark.parametrize(
    "text",
    [
        WRAPPER,
        "RuntimeError: Engine core initialization failed. See root cause above.",
        "RuntimeError: Engine process failed to start. See stack trace for the root cause.",
        (
            "Exception: WorkerProc initialization failed due to an exception in a "
            "background process. See stack trace for root cause."
        ),
        (
            "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an "
            "issue. See stack trace (above) for the root cause."
        ),
        "vllm.engine.async_llm_engine.AsyncEngineDeadError: Background loop has errored already.",
        (
            "vllm.engine.async_llm_engine.AsyncEngineDeadError: Task finished "
            "unexpectedly. This should never happen!"
        ),
        (
            "subprocess.CalledProcessError: Command '['python', '-m', "
            "'vllm.model_executor.models.registry']' returned non-zero exit status 1."
        ),
        "RuntimeError: Error raised in subprocess:",
        "RuntimeError('Engine process (pid 77) died.')",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.",
        "Engine core initialization failed",
        "Engine process failed to start",
        "(EngineCore pid=3267) ERROR 07-01 20:30:01 [core.py:1197] EngineCore encountered a fatal error.",
        "RuntimeError: Executor failed.",
    ],
)
def test_a_wrapper_is_never_the_cause(text):
    found = causes(text)

    assert found.root is None
    assert found.wrappers


def test_the_message_that_a_worker_failed_with_is_no_wrapper():
    root = causes(
        "RuntimeError: Worker failed with error 'This flash attention build does not support headdim'"
    ).root

    assert root is not None


@pytest.mark.parametrize(
    "text",
    [
        traceback("KeyError: '/psm_1a2b'", file="/usr/lib/python3.12/multiprocessing/resource_tracker.py"),
        "Exception ignored in: <function ShmRingBuffer.__del__ at 0x7f>\n"
        + traceback("FileNotFoundError: [Errno 2] No such file"),
        traceback("KeyboardInterrupt"),
        (
            "WARNING 12-01 04:40:20 [_logger.py:72] Found ulimit of 20000 and failed to "
            "increase. This can cause errors like `OSError: [Errno 24] Too many open files`."
        ),
    ],
)
def test_what_a_healthy_program_leaves_behind_is_no_cause(text):
    assert causes(text).root is None


def test_the_death_of_the_engine_after_a_stop_is_no_failure():
    found = causes(
        "INFO:     Application startup complete.\n"
        "(APIServer pid=1) INFO 12-01 04:21:01 [launcher.py:254] [shutdown] API server: shutdown triggered\n"
        "(APIServer pid=1) ERROR 12-01 04:21:01 [async_llm.py:906] AsyncLLM output_handler failed.\n"
        + traceback(
            (
                "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an "
                "issue. See stack trace (above) for the root cause."
            ),
            "(APIServer pid=1) ERROR 12-01 04:21:01 [async_llm.py:906] ",
        )
    )

    assert found.root is None
    assert not found.wrappers
    assert found.first_error is None


def test_a_request_that_a_running_server_refused_is_marked_as_one():
    found = causes(
        "INFO:     Application startup complete.\n"
        + traceback(
            "ValueError: This model's maximum context length is 16384 tokens.",
            "(APIServer pid=1) ERROR 07-03 03:19:15 [serving_chat.py:200] ",
        )
    )

    assert [entry.kind for entry in found.judged] == [Kind.REQUEST]


def test_an_exception_logged_as_a_warning_gives_way_to_a_later_error():
    found = causes(
        traceback(
            "ImportError: libfoo.so.1: cannot open shared object file",
            "WARNING 12-01 04:40:20 [import_utils.py:1] ",
        )
        + "\n"
        + traceback(SEED)
    )

    assert found.root is not None
    assert found.root.text == SEED


def test_a_traceback_without_its_last_line_is_known_to_be_cut():
    found = causes(
        'Traceback (most recent call last):\n  File "/opt/vllm/core.py", line 1, in f\n    self.run()'
    )

    assert found.cut
    assert found.root is None


def test_an_exception_of_an_unusual_name_is_read_from_its_place():
    found = causes(traceback("zmq.error.Again: Resource temporarily unavailable"))

    assert found.root is not None
    assert found.root.text == "zmq.error.Again: Resource temporarily unavailable"


def test_a_record_of_an_error_is_the_cause_when_there_is_no_exception():
    found = causes(
        "ERROR 03-27 03:12:01 engine.py:400] invalid literal for int() with base 10: 'tcp://host:8000'"
    )

    assert found.root is not None
    assert found.root.text == "invalid literal for int() with base 10: 'tcp://host:8000'"


def test_source_lines_in_records_are_no_cause():
    assert (
        causes(
            "(EngineCore pid=1) ERROR 07-20 20:33:13 [core.py:1233] return self.backend.compile_grammar(a, b)"
        ).root
        is None
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"[Bug]: {SEED}", "RuntimeError"),
        (f"启动时报错：{SEED}，怎么解决？", "RuntimeError"),
        (
            "it died with AssertionError('Only FlashAttention backend is supported for now.') again",
            "AssertionError",
        ),
        (
            (
                "ERROR 03-19 11:54:51 [engine.py:158] AssertionError('Only "
                "FlashAttention backend is supported for now.')"
            ),
            "AssertionError",
        ),
    ],
)
def test_an_exception_within_a_sentence_is_found(text, name):
    root = causes(text).root

    assert root is not None
    assert root.short_name == name


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError",
        "torch.OutOfMemoryError: CUDA out of memory.",
        "nixlRemoteDisconnectError: NIXL_ERR",
        "Exception: x",
        "Value error, y",
        "huggingface_hub.utils._http.OfflineModeIsEnabled: Cannot reach",
        "triton.runtime.errors.OutOfResources: out of resource",
        "Segmentation fault (core dumped)",
    ],
)
def test_lines_that_name_an_exception(text):
    assert read_exception_line(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Errors: 3",
        "RuntimeError:nospace",
        "UserWarning: resource_tracker",
        "self.error = Error",
        "    RuntimeError: indented",
        "Loading: done",
        "raise ValueError(",
        "",
    ],
)
def test_lines_that_name_none(text):
    assert read_exception_line(text) is None


def test_nothing_is_found_inside_ordinary_text():
    assert find_exception_inside("no Error here") is None
    assert not is_wrapper("ValueError", "No available memory")


@given(
    st.lists(
        st.sampled_from(
            [
                SEED,
                WRAPPER,
                "Traceback (most recent call last):",
                '  File "a.py", line 1, in f',
                "    code()",
                "",
                "text",
                "During handling of the above exception, another exception occurred:",
            ]
        ),
        max_size=30,
    )
)
def test_any_order_of_lines_is_read(parts):
    lines = [EvidenceLine(number, text) for number, text in enumerate(parts, 1)]
    found = find_root_cause(lines)

    assert (found.root is not None) == (SEED in parts)
    assert all(0 <= index < len(lines) for index in found.message_lines())


def _start(failure: str) -> str:
    return (
        "(APIServer pid=1) INFO 12-01 10:00:00 [api_server.py:1977] vLLM API server version 0.11.2\n"
        f"(EngineCore_DP0 pid=2) ERROR 12-01 10:01:00 [core.py:842] {failure}\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.\n"
    )


def test_of_several_starts_the_last_that_failed_tells_the_cause():
    found = causes(_start("ValueError: first") + _start("OSError: second"))

    assert found.root.text == "OSError: second"
    assert found.restarted


def test_starts_that_fail_of_the_same_are_one_failure():
    found = causes(_start("ValueError: first") * 3)

    assert found.root.text == "ValueError: first"
    assert not found.restarted


def test_two_servers_that_come_up_side_by_side_are_no_restart():
    banner = "(APIServer pid=1) INFO 12-01 10:00:00 [api_server.py:1977] vLLM API server version 0.11.2\n"
    found = causes(f"{banner}{banner}ValueError: first\nOSError: second\n")

    assert found.root.text == "ValueError: first"


def test_what_a_logger_prints_where_nothing_was_raised_is_no_cause():
    found = causes(
        "ERROR 02-05 01:21:05 client.py:300] RuntimeError('Engine process (pid 76) died.')\n"
        "ERROR 02-05 01:21:05 client.py:300] NoneType: None"
    )

    assert found.root is None
    assert found.wrappers
