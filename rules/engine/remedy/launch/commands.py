"""The shell commands of a change: complete, POSIX, plain ASCII, safe to copy. Not for running them."""

import re
import shlex
from collections.abc import Iterator, Mapping

from rules.engine.paste.facts import Facts
from rules.engine.remedy.building import VARIABLE
from rules.engine.remedy.launch.container import container_commands
from rules.engine.remedy.launch.known_flags import FindFlag, known_flags
from rules.engine.remedy.launch.masked import NO_MODEL, canonical, is_copyable, is_whole, shell_words
from rules.engine.remedy.proving import LOG
from rules.engine.report import Change

_SAFE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def commands(change: Change, facts: Facts, find: FindFlag) -> tuple[str, ...]:
    """Return the commands that make a change and start the server again.

    `find` gives the flags that the releases of the change know: of the flags that only a log shows, those
    are repeated.
    """
    if facts.container:
        return container_commands(change, facts, changed_argv(facts.argv, change, find), LOG)
    steps = [f"unset {name}" for name in change.env_unset if _SAFE_NAME.match(name)]
    steps += [f"export {name}={shlex.quote(value)}" for name, value in change.env_set.items()]
    if change.flags_set or change.flags_unset or facts.argv:
        steps.append(_launch(change, facts, find))
    return tuple(steps)


def can_repeat(facts: Facts) -> bool:
    """Tell whether the whole launch is known, so that nothing need be said of the rest of it."""
    return is_whole(facts.argv)


def _launch(change: Change, facts: Facts, find: FindFlag) -> str:
    words: list[str] = []
    if change.env_unset:
        words += ["env", *(part for name in change.env_unset for part in ("-u", name))]
    kept = facts.env.get(VARIABLE)
    if kept and VARIABLE not in change.env_unset and VARIABLE not in change.env_set:
        words += ([] if words else ["env"]) + [f"{VARIABLE}={kept}"]
    launch = [shlex.quote(word) for word in words]
    if facts.argv:
        launch += shell_words(changed_argv(facts.argv, change, find))
    else:
        launch += ["vllm", "serve", _model(facts)]
        launch += known_flags(facts.flags, find, {*change.flags_set, *change.flags_unset})
        launch += _set(change.flags_set)
    return f"{' '.join(launch)} 2>&1 | tee {LOG}"


def _model(facts: Facts) -> str:
    return shlex.quote(facts.model) if facts.model and is_copyable(facts.model) else NO_MODEL


def _set(flags: Mapping[str, str]) -> Iterator[str]:
    for name, value in flags.items():
        yield from (name, shlex.quote(value)) if value else (name,)


def changed_argv(argv: tuple[str, ...], change: Change, find: FindFlag) -> tuple[str, ...]:
    """Return a launch with flags set and dropped, the others in their place.

    `find` gives the other names of a flag, such as `-tp`.
    """
    touched = _names({*change.flags_set, *change.flags_unset}, find)
    kept: list[str] = []
    index = 0
    while index < len(argv):
        name, equals, _value = argv[index].partition("=")
        if not _means(canonical(name), touched, find):
            kept.append(argv[index])
        elif not equals and index + 1 < len(argv) and not argv[index + 1].startswith("-"):
            index += 1
        index += 1
    for name, value in change.flags_set.items():
        kept += [name, value] if value else [name]
    return tuple(kept)


def _names(flags: set[str], find: FindFlag) -> set[str]:
    """Return flags with every name that the releases give them."""
    known = [flag for name in flags if (flag := find(name)) is not None]
    return flags.union(*((flag.name, *flag.aliases) for flag in known if flag.name in flags))


def _means(name: str, touched: set[str], find: FindFlag) -> bool:
    """Tell whether a word of a launch is one of the flags, be it by a beginning that argparse completes."""
    if name in touched:
        return True
    begins = len(name) > len("--x") and name.startswith("--") and "." not in name
    return begins and find(name) is None and any(one.startswith(name) and find(one) for one in touched)
