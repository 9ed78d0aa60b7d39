"""Finds where in a release's source a message is raised. Not for which releases raise it: see `texts`."""

from collections.abc import Iterator
from typing import Final

from packaging.version import Version

from rules.engine.printed.templates import Fit, read_template
from rules.engine.printed.texts import unwrapped
from rules.releases.model import Source
from rules.releases.release import Releases

#: a text that stands in more places than these tells nobody where to look
_MOST_PLACES: Final = 3
_SHORTEST: Final = 8
#: words of a template that are enough, for the message is known to be vLLM's
_LEAST_WORDS: Final = 3


def raising_places(name: str, message: str, version: Version, releases: Releases) -> tuple[Source, ...]:
    """Return the places of a release that raise a message, by file and line; none where they are many."""
    name, message = unwrapped(name, message)
    fits = list(_fitting(name.rsplit(".", 1)[-1], message, version, releases))
    best = max((fit for fit, _ in fits), default=Fit.NOT)
    found = dict.fromkeys(source for fit, source in fits if fit is best)
    return tuple(found) if len(found) <= _MOST_PLACES else ()


def _fitting(name: str, message: str, version: Version, releases: Releases) -> Iterator[tuple[Fit, Source]]:
    for text in releases.get(version).messages():
        if name not in {"", "Exception", text.kind} or text.kind.startswith("log."):
            continue
        # most texts are told apart by one look at a word, before they are taken to pieces
        head = text.template.lstrip("\n").partition("{}")[0].partition("\n")[0]
        if len(head) >= _SHORTEST and not (message.startswith(head) or head.startswith(message)):
            continue
        template = read_template(text.template, text.kind, 0, _LEAST_WORDS)
        fit = Fit.NOT if template is None else template.fit(message)
        if fit is not Fit.NOT:
            yield fit, text.source
