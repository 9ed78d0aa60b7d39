from dataclasses import replace

from rules.releases.diff import What, diff
from rules.releases.model import Attention, Backend, Flag, Message, Record, Source, Variable

HERE, THERE = Source("vllm/a.py", 1), Source("vllm/b.py", 2)
OLD = Record(
    version="0.9.2",
    attention=Attention(
        backends=(Backend("XFORMERS", HERE, None, None, None, None, None, None),),
        packages=(("torch", "==2.7.0"), ("xformers", "==0.0.30")),
    ),
    flags=(Flag("--dtype", HERE, choices=("auto", "half"), default="auto"), Flag("--task", HERE)),
    dotted_flags=(),
    variables=(Variable("VLLM_X", HERE),),
    messages=(Message("it failed: {}", "ValueError", HERE),),
)


def test_a_release_does_not_differ_from_itself():
    assert diff(OLD, OLD) == ()


def test_a_fact_that_only_moved_is_no_difference():
    moved = replace(OLD, flags=tuple(replace(flag, source=THERE) for flag in OLD.flags))

    assert diff(OLD, moved) == ()


def test_new_and_gone_flags_are_named_with_their_place():
    new = replace(OLD, flags=(OLD.flags[0], Flag("--runner", THERE)))

    found = [(one.what, one.name, one.source) for one in diff(OLD, new)]

    assert found == [(What.ADDED, "--runner", "vllm/b.py:2"), (What.REMOVED, "--task", "vllm/a.py:1")]


def test_each_changed_field_is_a_difference_of_its_own():
    changed = replace(OLD.flags[0], choices=("auto", "half", "float32"), default="half", source=THERE)

    found = diff(OLD, replace(OLD, flags=(changed, OLD.flags[1])))

    assert [(one.section, one.name, one.field, one.before, one.after) for one in found] == [
        ("flags", "--dtype", "choices", "auto, half", "auto, half, float32"),
        ("flags", "--dtype", "default", "auto", "half"),
    ]
    assert {one.source for one in found} == {"vllm/b.py:2"}


def test_a_deprecation_is_a_difference():
    new = replace(OLD, variables=(Variable("VLLM_X", HERE, deprecated="VLLM_X is deprecated"),))

    assert [(one.what, one.field, one.before, one.after) for one in diff(OLD, new)] == [
        (What.CHANGED, "deprecated", None, "VLLM_X is deprecated")
    ]


def test_packages_differ_by_their_requirement():
    new = replace(OLD, attention=replace(OLD.attention, packages=(("torch", "==2.8.0"),)))

    found = [(one.what, one.name, one.before, one.after) for one in diff(OLD, new)]

    assert found == [
        (What.REMOVED, "xformers", "==0.0.30", None),
        (What.CHANGED, "torch", "==2.7.0", "==2.8.0"),
    ]


def test_a_reworded_message_is_one_gone_and_one_new():
    new = replace(OLD, messages=(Message("it broke: {}", "ValueError", HERE),))

    assert [(one.what, one.name) for one in diff(OLD, new)] == [
        (What.ADDED, "ValueError it broke: {}"),
        (What.REMOVED, "ValueError it failed: {}"),
    ]


def test_backends_are_compared_too():
    backend = replace(OLD.attention.backends[0], head_sizes=(64, 128))
    new = replace(OLD, attention=replace(OLD.attention, backends=(backend,)))

    assert [(one.section, one.field, one.after) for one in diff(OLD, new)] == [
        ("backends", "head_sizes", "64, 128")
    ]


def test_of_a_list_it_is_known_what_came_and_what_went():
    changed = replace(OLD.flags[0], choices=("auto", "float32"))

    (found,) = diff(OLD, replace(OLD, flags=(changed, OLD.flags[1])))

    assert (found.came, found.went) == (("float32",), ("half",))


def test_a_list_that_came_whole_is_told_whole():
    changed = replace(OLD.flags[1], choices=("generate", "embed"))

    (found,) = diff(OLD, replace(OLD, flags=(OLD.flags[0], changed)))

    assert (found.before, found.after, found.came) == (None, "generate, embed", ())
