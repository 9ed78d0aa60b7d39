"""The pages and their guard, made from settings and store. Not for what the pages show."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.access.signing_in import SigningIn, os_person
from bot.clock import system_clock
from bot.store.answers import SqlAnswers
from bot.store.incidents import SqlIncidents
from bot.store.people import SqlPeople
from bot.web.guard import Guard
from bot.web.hosts import KnownHosts
from bot.web.parts import Parts, Relaunching
from bot.web.rate import RateLimit
from bot.web.rulebook import CatalogueRulebook
from bot.web.runs.looks import Looks
from rules.engine.cache_folder import CacheFolder, default_cache_folder
from rules.engine.compiled import compiled_catalogue
from rules.engine.rule.catalogue import Catalogue

if TYPE_CHECKING:
    from adapters.chat.interface import Person
    from bot.settings import ConsoleSettings
    from bot.store.database import Database
    from bot.web.parts import Readiness
    from bot.wiring.acting import Acting


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a page offers and takes."""

    readiness: Readiness
    channels: tuple[str, ...]
    text_limit_bytes: int
    file_limit_bytes: int
    files_limit: int
    sample: str | None
    needs_sign_in: bool
    relaunching: Relaunching | None = None


def relaunching_of(acting: Acting) -> Relaunching:
    """Return what the pages of hosts and relaunches stand on."""
    return Relaunching(
        desk=acting.desk(acting.service.wake),
        registry=acting.registry,
        looks=Looks(acting.hosts, time.monotonic),
        news=acting.news.told.get,
        operator=os_person().id,
    )


def signing_in_of(console: ConsoleSettings, database: Database) -> SigningIn:
    """Return how people are recognised."""
    return SigningIn(SqlPeople(database), system_clock, timedelta(hours=console.session_hours))


def guard_of(console: ConsoleSettings, database: Database, port: int, everybody: Person | None) -> Guard:
    """Return what stands before every page."""
    return Guard(
        hosts=KnownHosts(port, console.is_loopback, console.public_url, console.trusted_hosts),
        signing_in=signing_in_of(console, database),
        rate=RateLimit(console.messages_per_minute, time.monotonic),
        cookie=f"vllm_diagnose_{port}",
        is_secure=(console.public_url or "").startswith("https://"),
        everybody=everybody,
    )


def parts_of(database: Database, options: PageOptions) -> Parts:
    """Return what the pages stand on. Raises `CatalogueError`."""
    folder = default_cache_folder(os.environ)
    compiled = compiled_catalogue(CacheFolder(folder) if folder else None)
    return Parts(
        incidents=SqlIncidents(database),
        answers=SqlAnswers(database),
        clock=system_clock,
        rulebook=CatalogueRulebook(Catalogue.from_plain(compiled.plain)),
        readiness=options.readiness,
        channels=options.channels,
        text_limit_bytes=options.text_limit_bytes,
        file_limit_bytes=options.file_limit_bytes,
        files_limit=options.files_limit,
        sample=options.sample,
        needs_sign_in=options.needs_sign_in,
        relaunching=options.relaunching,
    )
