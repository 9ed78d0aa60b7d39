"""What the pipeline learns of a paste before any rule is asked: root, echoes, chain, wrappers, source."""

from rules.engine.reader import PasteReader

READER = PasteReader()


def failure_of(text):
    return READER.failure(READER.clean(text, unwrap=True))


def test_the_same_failure_of_other_workers_tells_the_root_cause_too():
    lines = "\n".join(
        f"(Worker_TP{n} pid={n + 9}) ERROR 11-28 07:55:57 [x.py:1] ValueError: rank {n}" for n in range(3)
    )
    failure = failure_of(lines)

    assert failure.root == 0
    assert failure.told == {0, 1, 2}
    assert failure.vllm


def test_what_was_raised_while_the_root_was_handled_is_its_chain():
    evidence = READER.clean(
        "Traceback (most recent call last):\n"
        '  File "/x/site-packages/vllm/a.py", line 1, in f\n'
        "OSError: first\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\n"
        '  File "/x/site-packages/vllm/b.py", line 2, in g\n'
        "ValueError: second",
        unwrap=True,
    )
    failure = READER.failure(evidence)
    (chained,) = failure.chain

    assert evidence.lines[failure.root].text == "OSError: first"
    assert evidence.lines[chained].text == "ValueError: second"


def test_source_lines_quote_and_messages_of_many_lines_tell():
    failure = failure_of(
        "Traceback (most recent call last):\n"
        '  File "/x/site-packages/vllm/a.py", line 1, in f\n'
        '    raise RuntimeError("quoted words")\n'
        "pydantic_core._pydantic_core.ValidationError: 2 validation errors for X\n"
        "first\n"
        "  Value error, one\n"
        "second\n"
        "  Value error, two"
    )

    assert failure.code == {1, 2}


def test_source_lines_without_their_exception_hide_what_failed():
    failure = failure_of('(EngineCore_DP0 pid=7)     return self.collective_rpc("profile")')

    assert failure.hidden
    assert failure.root is None


def test_a_wrapper_alone_is_named_as_one():
    failure = failure_of("RuntimeError: Engine core initialization failed. See root cause above.")

    assert failure.root is None
    assert failure.wrappers == (0,)


def test_after_a_start_that_came_up_the_first_wrapper_is_the_nearest_line_to_the_cause():
    wrapper = "vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue."

    whole = failure_of(f"(APIServer pid=1) INFO:     Application startup complete.\n{wrapper}")
    alone = failure_of(wrapper)

    assert (whole.root, whole.nearest) == (None, 1)
    assert (alone.root, alone.nearest) == (None, None)


def test_a_healthy_log_has_no_failure():
    failure = failure_of("INFO 11-28 07:55:57 [x.py:1] vLLM API server version 0.11.2\nINFO:     ready")

    assert failure.root is None
    assert not failure.hidden
    assert not failure.wrappers


def test_lines_in_which_the_roots_message_goes_on_are_its_chain():
    record = "ERROR 07-02 07:04:46 [core.py:500] "
    failure = failure_of(
        f"{record}RuntimeError: Error building extension 'sampling'\n"
        f"{record}/bin/sh: 1: c++: not found\n"
        f"{record}ninja: build stopped: subcommand failed.\n"
        "INFO 07-02 07:04:47 [core.py:501] something else"
    )

    assert failure.root == 0
    assert failure.chain == {1, 2}


def test_the_message_ends_where_another_block_begins():
    failure = failure_of(
        "ValueError: first\nmore of it\nTraceback (most recent call last):\n"
        '  File "/x/a.py", line 1, in f\nRuntimeError: second'
    )

    assert failure.chain == {1}


def test_where_no_exception_tells_what_failed_each_record_of_an_error_may():
    record = "ERROR 07-02 07:04:46 [core.py:500] "
    failure = failure_of(f"{record}device capability is unknown\n{record}headers are incompatible")

    assert failure.told | failure.chain == {0, 1}


def test_a_cause_that_a_sentence_leads_up_to_is_unsettled():
    message = "ValueError: No available memory for the cache blocks."

    assert failure_of(f"The documentation says that it raises {message} there").unsettled
    assert not failure_of(f"[Bug]: {message}").unsettled
    assert not failure_of(f"ERROR 07-02 07:04:46 [core.py:500] Worker gave up because of {message}").unsettled
