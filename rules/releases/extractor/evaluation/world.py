"""The machine that an evaluation assumes, and its path through what stays unknown. Not for evaluating."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rules.releases.extractor.evaluation.values import Logged, ThrownError, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: paths through unknown conditions that are looked at; more would take long and still be undecided
MOST_PATHS = 48


@dataclass(frozen=True, slots=True)
class World:
    """What the code would find around it."""

    #: dotted path of the platform class in use, and its module
    platform: tuple[str, str] = ("vllm.platforms.cuda", "CudaPlatformBase")
    #: environment variables that are set
    env: Mapping[str, str] = field(default_factory=dict)
    #: importable top-level packages outside vLLM that are *not* there (`flash_attn`, `flashinfer`)
    missing: frozenset[str] = frozenset()
    #: results of functions by name, in place of their code: a value, or a function of the arguments
    results: Mapping[str, Value | Callable[..., Value]] = field(default_factory=dict)


@dataclass(slots=True)
class Path:
    """One way through the conditions that cannot be decided, and what happened on it."""

    #: answers to follow, in the order the conditions come up
    script: tuple[bool, ...] = ()
    taken: list[bool] = field(default_factory=list)
    answers: dict[str, bool] = field(default_factory=dict)
    log: list[Logged] = field(default_factory=list)

    def decide(self, why: str) -> bool:
        """Return the answer of this path to a condition, the same each time it is asked."""
        if why not in self.answers:
            position = len(self.taken)
            answer = self.script[position] if position < len(self.script) else True
            self.taken.append(answer)
            self.answers[why] = answer
        return self.answers[why]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one path ended: with a value, or with an exception."""

    value: Value
    thrown: ThrownError | None
    log: tuple[Logged, ...]
    #: the unknown conditions of the path and their answers
    assumed: Mapping[str, bool]


def explore(attempt: Callable[[Path], Value]) -> Iterator[Outcome]:
    """Yield the outcome of every path, the one with all unknown conditions true first.

    Where there are too many, the last outcome is unknown.
    """
    waiting: list[tuple[bool, ...]] = [()]
    seen = 0
    while waiting and seen < MOST_PATHS:
        path = Path(waiting.pop())
        seen += 1
        thrown: ThrownError | None = None
        value: Value = None
        try:
            value = attempt(path)
        except ThrownError as error:
            thrown = error
        open_turns = range(len(path.script), len(path.taken))
        waiting.extend((*path.taken[:position], False) for position in open_turns)
        yield Outcome(value, thrown, tuple(path.log), dict(path.answers))
    if waiting:
        # what was not looked at might end otherwise
        yield Outcome(Unknown("more paths than are followed"), None, (), {})
