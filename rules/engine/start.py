"""Starts an engine from what is shipped: catalogue, release facts, reading, remedies. Not for diagnosing."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rules.engine.cache_folder import CacheFolder, default_cache_folder
from rules.engine.compiled import CompiledCatalogue, compiled_catalogue
from rules.engine.diagnose import Engine, Parts
from rules.engine.matching.verifying import Matcher
from rules.engine.printed.names import is_stump
from rules.engine.printed.places import raising_places
from rules.engine.printed.texts import PrintedTexts, TextSource
from rules.engine.reader import PasteReader
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.remedy.occurs import releases_that_print
from rules.engine.rule.catalogue import SHIPPED
from rules.engine.seams import Texts
from rules.releases.release import Releases
from rules.releases.shipped import ShippedReleases, load_releases

_CALM = ("log.debug", "log.info", "log.warning")


@dataclass(frozen=True, slots=True)
class Options:
    """Where an engine takes its parts from."""

    catalogue: Path = SHIPPED
    #: an operator's own rules, beside the shipped ones
    private: Path | None = None
    #: where the compiled catalogue is kept; None: nowhere
    cache: Path | None = None
    #: release facts; None: the shipped ones
    releases: Releases | None = None


def start_engine(options: Options | None = None) -> Engine:
    """Return an engine for the calling thread; without options all that is shipped, and the user's cache.

    Raises `CatalogueError` for faults in the rules.
    """
    options = options or _own_cache()
    cache = CacheFolder(options.cache) if options.cache else None
    compiled, releases = compiled_of(options)
    texts = (
        PrintedTexts(TextSource(releases.texts_key, releases.texts), cache)
        if isinstance(releases, ShippedReleases)
        else None
    )
    return engine_of(compiled, releases, texts)


def compiled_of(options: Options | None = None) -> tuple[CompiledCatalogue, Releases]:
    """Return the compiled catalogue and the releases that an engine is made of.

    Raises `CatalogueError` for faults in the rules.
    """
    options = options or _own_cache()
    cache = CacheFolder(options.cache) if options.cache else None
    releases = options.releases or load_releases()
    calm = partial(_calm_texts, releases)
    return compiled_catalogue(cache, options.catalogue, options.private, calm), releases


def _own_cache() -> Options:
    return Options(cache=default_cache_folder(os.environ))


def _calm_texts(releases: Releases) -> list[str]:
    """Return what the newest release logs without trouble."""
    newest = releases.versions()[-1:]
    messages = releases.get(newest[0]).messages() if newest else iter(())
    return [message.template for message in messages if message.kind in _CALM]


def engine_of(compiled: CompiledCatalogue, releases: Releases, texts: Texts | None = None) -> Engine:
    """Return an engine for the calling thread; threads may share the catalogue and the releases."""
    parts = Parts(
        reader=PasteReader(),
        matcher=Matcher(compiled.index, compiled.scanner()),
        rule_of=compiled.rule,
        answerer=RemedyAnswerer(compiled.catalogue(), releases),
        shipped=releases.versions(),
        printing=partial(releases_that_print, releases=releases),
        stump=partial(is_stump, releases=releases),
        texts=texts,
        places=partial(raising_places, releases=releases),
    )
    return Engine(parts)
