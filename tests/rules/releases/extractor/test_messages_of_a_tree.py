import pytest

from rules.releases.extractor.surface.messages import read_messages


@pytest.fixture
def texts(tree_of):
    """Return a function that gives (kind, template) of the texts of one module."""

    def read(source, path="vllm/a.py"):
        tree = tree_of({path: source, "vllm/names.py": "NAME = 'VLLM_X'\n"})
        return [(message.kind, message.template) for message in read_messages(tree)]

    return read


@pytest.mark.parametrize(
    ("expression", "template"),
    [
        ("'plain text'", "plain text"),
        ("f'{a} does not support {b!r} here {c:.2f}'", "{} does not support {} here {}"),
        ("'two ' 'parts'", "two parts"),
        ("'two ' + f'parts of {x}'", "two parts of {}"),
        ("'%s of %d, 100%%' % (a, b)", "{} of {}, 100%"),
        ("'{} and {name!r} and {{}}'.format(a, name=b)", "{} and {} and {}"),
        ("'one ' + str(x) + ' two ' + y + ' three ' + z + ' four'", "one {} two {} three {} four"),
        ("f'{a}{b} joined'", "{} joined"),
        ("f'set {NAME} now'", "set VLLM_X now"),
        ("' '.join(['fixed', f'{x} words'])", "fixed {} words"),
    ],
)
def test_a_text_becomes_a_template_with_gaps(texts, expression, template):
    found = texts(f"from vllm.names import NAME\ndef f():\n    raise ValueError({expression})\n")

    assert found == [("ValueError", template)]


def test_every_way_to_say_something_has_its_kind(texts):
    source = """
        def f(x, parser):
            assert x, f"x is {x}"
            logger.error("bad %s", x)
            logger.warning_once("odd %s", x)
            logger.info("fine so far")
            logger.debug("not kept")
            warnings.warn("old thing", DeprecationWarning, stacklevel=2)
            parser.error("give a name")
            invalid_reasons.append("compute capability not supported")
            return self.create_error_response("no such model")
    """

    assert texts(source) == [
        ("AssertionError", "x is {}"),
        ("log.error", "bad {}"),
        ("log.warning", "odd {}"),
        ("log.info", "fine so far"),
        ("DeprecationWarning", "old thing"),
        ("parser.error", "give a name"),
        ("reason", "compute capability not supported"),
        ("response", "no such model"),
    ]


def test_an_exception_that_is_made_first_and_raised_later_counts_once(texts):
    source = """
        def f():
            e = Exception("worker failed "
                          "to start")
            raise e
        def g():
            raise ValueError("raised at once") from None
    """

    assert texts(source) == [("Exception", "worker failed to start"), ("ValueError", "raised at once")]


def test_texts_that_pass_through_names_are_followed(texts):
    source = """
        def f(limit):
            msg = f"limit {limit} is too small"
            hint = " Try a larger one." if limit else ""
            logger.warning("%s: %s", msg, limit)
            raise ValueError(f"{msg}!{hint}")
    """

    assert texts(source) == [
        ("log.warning", "limit {} is too small: {}"),
        ("ValueError", "limit {} is too small!"),
        ("ValueError", "limit {} is too small! Try a larger one."),
    ]


def test_a_name_that_the_run_decides_stays_a_gap(texts):
    source = """
        def f(names, what="some words here"):
            for key in names:
                raise ValueError(f"bad {key} for {what}")
            key = "other words here"
    """

    assert texts(source) == [("ValueError", "bad {} for {}")]


def test_text_that_is_appended_under_conditions_stands_alone(texts):
    source = """
        def f(x):
            msg = "it failed."
            if x:
                msg += " Free some memory."
            raise RuntimeError(msg)
    """

    assert texts(source) == [("RuntimeError", "it failed.{}"), ("RuntimeError", "{} Free some memory.")]


def test_the_message_that_an_error_class_gives_itself_counts(texts):
    source = """
        class EngineDeadError(Exception):
            DEAD_MESSAGE = "the engine has died"
            def __init__(self):
                super().__init__("look at the trace above")
    """

    assert texts(source) == [("text", "the engine has died"), ("EngineDeadError", "look at the trace above")]


@pytest.mark.parametrize(("folder", "kept"), [("v1/attention/backends", True), ("entrypoints", False)])
def test_reasons_that_a_function_returns_count_where_backends_are_chosen(texts, folder, kept):
    found = texts("def supports():\n    return 'partial layout is not supported'\n", f"vllm/{folder}/x.py")

    assert found == ([("reason", "partial layout is not supported")] if kept else [])


def test_texts_without_a_word_of_their_own_are_left_out(texts):
    source = "def f(e):\n    raise ValueError(e)\ndef g(a, b):\n    raise ValueError(f'{a}{b}')\n"

    assert texts(source) == []


def test_each_text_has_the_line_on_which_it_is_said(tree_of):
    messages = read_messages(tree_of({"vllm/a.py": "\n\ndef f():\n    raise ValueError(\n        'x y')\n"}))

    assert [str(message.source) for message in messages] == ["vllm/a.py:4"]


def test_benchmarks_are_no_part_of_a_server(texts):
    assert texts("raise ValueError('slow run')\n", "vllm/benchmarks/serve.py") == []


def test_text_that_is_always_appended_belongs_to_the_whole(texts):
    source = """
        def f(name, tell):
            msg = f"{name} is not supported. "
            msg += "Falling back."
            if tell:
                msg += f" Remove {name}."
            logger.warning(msg)
    """

    assert texts(source) == [
        ("log.warning", "{} Remove {}."),
        ("log.warning", "{} is not supported. Falling back.{}"),
    ]
