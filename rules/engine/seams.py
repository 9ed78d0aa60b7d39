"""What the pipeline asks of its parts, as records and protocols. Not the parts: see `paste` and `remedy`.

`diagnose` is written against these shapes, so that a part may be replaced by another of the same shape.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from packaging.version import Version

from rules.engine.paste.evidence import Evidence, Note
from rules.engine.paste.facts import Facts, Given
from rules.engine.paste.frames import Frame
from rules.engine.report import Ask, Remedy
from rules.engine.rule.model import Condition, Rule
from rules.releases.model import Source


@dataclass(frozen=True, slots=True)
class Failure:
    """What the structure of a paste says of its failure, no rule asked. Places are indexes of lines."""

    #: first line of the innermost exception of the process that failed first, wrappers left out
    root: int | None = None
    #: the root cause as one line, with the deciding line of a longer message
    text: str | None = None
    #: exception and message of the root cause; no exception: a record or line that names none
    name: str = ""
    message: str = ""
    #: every line that tells the root cause: the whole message, and the same message of other processes
    told: frozenset[int] = frozenset()
    #: lines of the other exceptions of the root's own chain (`During handling of the above ...`), no wrappers
    chain: frozenset[int] = frozenset()
    #: first lines of exceptions that hide another (`Engine core initialization failed. See root cause above`)
    wrappers: tuple[int, ...] = ()
    #: the first of the wrappers where nothing hidden can stand before it, for the log shows the server coming up
    nearest: int | None = None
    #: lines that tell of no failure: frames and source of a traceback, and what a clean end left behind
    code: frozenset[int] = frozenset()
    #: the last frame of vLLM's own code before the root cause, or of a paste that names none
    frame: Frame | None = None
    #: True when the message of the root cause stops where no sentence can end
    cut: bool = False
    #: True when a person's sentence quotes the root cause, or an earlier start in the paste failed of another
    unsettled: bool = False
    #: True when something failed and no line tells what: a traceback ends early, a record stands alone
    hidden: bool = False
    #: True when no line shows a failure, and yet trouble is told or hinted at, in words or by a bare name
    hinted: bool = False
    #: True when vLLM's calm output shows neither a failure nor a server that came up
    begun: bool = False
    #: True when the paste is plainly vLLM's: its log records, its files in a traceback, its banner
    vllm: bool = False
    #: another program whose failure this plainly is (`sglang`, `comfyui`); None when nothing says so
    foreign: str | None = None
    #: True when only a text which vLLM's own libraries print too says so
    foreign_by_shared_text: bool = False


@dataclass(frozen=True, slots=True)
class FactsFound:
    """Facts of a paste and its sender, with remarks on what contradicts or could not be read."""

    facts: Facts
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Raising:
    """What is known of a message that vLLM raises."""

    #: places among the shipped releases of those that raise it, ascending
    releases: tuple[int, ...]
    #: True when the message was cut off
    cut: bool


class Reader(Protocol):
    """Reading a paste."""

    def clean(self, text: str, *, unwrap: bool) -> Evidence:
        """Return the cleaned, masked lines; `unwrap` joins what was wrapped by hand or by a terminal."""

    def failure(self, evidence: Evidence) -> Failure:
        """Return the structure of the failure; never raises, a paste without one gives an empty record."""

    def facts(self, evidence: Evidence, given: Given, language: str) -> FactsFound:
        """Return what is known; the paste wins over what was given."""


@dataclass(frozen=True, slots=True)
class Case:
    """A match, with all that its answer depends on."""

    rule: Rule
    captures: Mapping[str, str]
    facts: Facts
    #: shipped releases that the evidence allows, ascending; empty: outside the shipped facts
    releases: tuple[Version, ...]
    #: `en` or `zh`
    language: str
    #: whether a condition holds over hits, facts and captures; None: unknown
    holds: Callable[[Condition], bool | None]
    #: False: the release that was printed or given does not print this text, so that `releases` holds it and
    #: those that do, and only what helps in all of them may be offered
    in_era: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """Texts and remedies of one match."""

    title: str
    cause: str
    fixes: tuple[Remedy, ...]
    ask: tuple[Ask, ...] = ()
    notes: tuple[Note, ...] = ()


class Answerer(Protocol):
    """Turning matches into words and commands."""

    def answer(self, case: Case) -> Answer:
        """Return texts, remedies in the order to try, and the questions that would narrow them."""

    def questions(self, rules: Sequence[Rule], facts: Facts, language: str) -> tuple[Ask, ...]:
        """Return what to ask when nothing was diagnosed; `rules` are the wrappers that fired, if any."""


class Texts(Protocol):
    """What releases raise, to tell a bare message of vLLM from another program's."""

    def find(self, name: str, message: str) -> Raising | None:
        """Return which releases raise a message; None when none does. No name: any exception."""


class Places(Protocol):
    """Where releases raise a message."""

    def __call__(self, name: str, message: str, version: Version, /) -> Sequence[Source]:
        """Return the places of one release; none where they are unknown or many."""


class Stump(Protocol):
    """Tells a captured name that was cut from one that is whole."""

    def __call__(self, rule: Rule, name: str, value: str, /) -> bool:
        """Tell whether the value is a part of a name. It stood at the start or the end of its line."""


class Printing(Protocol):
    """Which releases print what a rule captured."""

    def __call__(
        self, rule: Rule, captures: Mapping[str, str], candidates: Sequence[Version], /
    ) -> tuple[Version, ...]:
        """Return those of the candidates that do; all where release facts do not know."""
