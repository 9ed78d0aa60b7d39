"""The evaluator on small functions: values, unknown conditions, imports that fail, log records."""

import pytest

from rules.releases.extractor.evaluation.interpreter import Evaluator
from rules.releases.extractor.evaluation.names import Names
from rules.releases.extractor.evaluation.values import Unknown
from rules.releases.extractor.evaluation.world import MOST_PATHS, World


@pytest.fixture
def answers(tree_of):
    """Return what each path of `vllm.asked.question(*arguments)` ends with."""

    def ask(source, *arguments, world=None, files=None):
        tree = tree_of({"vllm/asked.py": source, **(files or {})})
        names = Names(tree)
        module = tree.module("vllm/asked.py")

        def question(run):
            return run.call(run.module_value(module, "question"), list(arguments), {}, module.node)

        return list(Evaluator(names).outcomes(world or World(), question))

    return ask


def _value(outcomes):
    assert len(outcomes) == 1
    return outcomes[0].value


LOOP = """total = 0
    for y in [1, 2, 3]:
        if y == 3:
            break
        total += y
    return total"""


@pytest.mark.parametrize(
    ("body", "argument", "value"),
    [
        ("return 'odd' if x % 2 else 'even'", 3, "odd"),
        ("return [y * 2 for y in range(x) if y != 1]", 3, [0, 4]),
        ("return {k: v for k, v in {'a': x}.items()}", 5, {"a": 5}),
        ("a, *b = (1, 2), x\n    return b", 3, Unknown),
        (LOOP, 0, 3),
        ("return x in (1, 2) and not x > 2", 2, True),
        ("return sorted([3, 1, 2], key=lambda y: -y)", 0, [3, 2, 1]),
        ("return f'{x}!'", "hi", "hi!"),
        ("if (y := x + 1) > 3:\n        return y\n    return 0", 3, 4),
        ("def inner(z):\n        return z + x\n    return inner(1)", 2, 3),
        ("return getattr(x, 'nothing', 'default') if False else min(4, x)", 2, 2),
    ],
)
def test_plain_python_has_its_value(answers, body, argument, value):
    found = answers(f"def question(x):\n    {body}\n", argument)

    if value is Unknown:
        assert isinstance(found[0].value, Unknown)
    else:
        assert _value(found) == value


def test_an_unknown_condition_takes_both_ways_and_the_same_one_each_time(answers):
    found = answers(
        """
        import torch

        def question():
            first = "yes" if torch.cuda.is_available() else "no"
            second = "yes" if torch.cuda.is_available() else "no"
            return first + second
        """
    )

    assert {outcome.value for outcome in found} == {"yesyes", "nono"}


def test_too_many_ways_end_unknown_instead_of_certain(answers):
    lines = "\n".join(f"    if probe.f{number}():\n        pass" for number in range(10))

    found = answers(f"import probe\n\ndef question():\n{lines}\n    return 1\n")

    assert len(found) == MOST_PATHS + 1
    assert isinstance(found[-1].value, Unknown)


def test_a_missing_package_makes_an_import_fail_as_it_would(answers):
    source = """
        def question():
            try:
                import flashinfer
                return "there"
            except ImportError:
                return "missing"
        """

    assert _value(answers(source)) == "there"
    assert _value(answers(source, world=World(missing=frozenset({"flashinfer"})))) == "missing"


def test_a_module_fails_to_import_when_a_package_at_its_top_is_missing(answers):
    source = """
        from vllm.utils import resolve_obj_by_qualname

        def question():
            try:
                return resolve_obj_by_qualname("vllm.backend.Backend").get_name()
            except ImportError as error:
                return "missing"
        """
    files = {
        "vllm/utils.py": "def resolve_obj_by_qualname(name):\n    return eval(name)\n",
        "vllm/backend.py": """
            import xformers

            class Backend:
                @staticmethod
                def get_name():
                    return "X"
            """,
    }

    assert _value(answers(source, files=files)) == "X"
    assert _value(answers(source, files=files, world=World(missing=frozenset({"xformers"})))) == "missing"


def test_classes_enums_and_named_tuples_behave_as_in_python(answers):
    found = answers(
        """
        import enum
        from typing import NamedTuple

        class Colour(enum.Enum):
            RED = "r"
            BLUE = "b"

            def shout(self):
                return self.name + "!"

        class Version(NamedTuple):
            major: int
            minor: int = 0

        class Base:
            sizes = [1, 2]

            @classmethod
            def fits(cls, size):
                return size in cls.sizes

        class Child(Base):
            sizes = [3]

            @classmethod
            def fits(cls, size):
                return super().fits(size) or size == 4

        def question():
            return [
                Colour["RED"].shout(), Colour.RED == Colour.BLUE, Colour.RED in {Colour.RED},
                Version(8) >= (8, 0), Version(7, 5) < Version(8, 0), Version(9)[0],
                Child.fits(3), Child.fits(4), Child.fits(1),
            ]
        """
    )

    assert _value(found) == ["RED!", False, True, True, True, 9, True, True, False]


def test_a_string_enum_is_equal_to_its_value(answers):
    found = answers(
        """
        from enum import Enum

        class Kind(str, Enum):
            DECODER = "decoder"

        def question():
            return "decoder" == Kind.DECODER
        """
    )

    assert _value(found) is True


def test_what_would_be_raised_is_the_end_of_its_path(answers):
    found = answers("def question(x):\n    if x:\n        raise ValueError(f'bad {x}')\n    return x\n", 3)

    assert (found[0].thrown.name, found[0].thrown.message, found[0].thrown.line) == ("ValueError", "bad 3", 3)


def test_log_records_are_kept_in_order_with_their_values(answers):
    found = answers(
        """
        from vllm.logger import init_logger

        logger = init_logger(__name__)

        def question(name):
            logger.info_once("Using %s backend at %d%%.", name, 50)
            logger.warning(f"not {name}")
        """,
        "X",
    )

    assert [(record.level, record.text, record.line) for record in found[0].log] == [
        ("info", "Using X backend at 50%.", 7),
        ("warning", "not X", 8),
    ]


def test_a_variable_has_its_default_unless_the_world_sets_it(answers):
    files = {
        "vllm/envs.py": """
            import os

            environment_variables = {
                "VLLM_USE_V1": lambda: bool(int(os.getenv("VLLM_USE_V1", "1"))),
            }
            """
    }
    source = "import vllm.envs as envs\n\ndef question():\n    return envs.VLLM_USE_V1\n"

    assert _value(answers(source, files=files)) is True
    assert _value(answers(source, files=files, world=World(env={"VLLM_USE_V1": "0"}))) is False


def test_endless_recursion_ends_unknown(answers):
    assert isinstance(_value(answers("def question():\n    return question()\n")), Unknown)
