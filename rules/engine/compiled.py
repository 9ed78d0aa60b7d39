"""A catalogue ready for use, compiled once, kept in the user's cache. Not for reading rules from files."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from rules.engine.cache_folder import CacheFolder
from rules.engine.matching.scan.index import IndexedSignal, Key, SignalIndex, build_index
from rules.engine.matching.scan.scanner import (
    HyperscanScanner,
    Scanner,
    hyperscan_available,
    load_hyperscan,
    make_scanner,
)
from rules.engine.rule.catalogue import SHIPPED, Catalogue, content_hash
from rules.engine.rule.model import Rule, Scope
from rules.engine.rule.plain import from_plain

#: raised whenever the shape of what is kept changes
_FORMAT = 1
_KIND = "catalogue"


@dataclass(frozen=True)
class CompiledCatalogue:
    """Rules as plain data, their signals as a table, and what finds them."""

    #: what `Catalogue.to_plain` gives
    plain: Mapping[str, Any]
    index: SignalIndex
    #: the compiled Hyperscan database; None where there is no Hyperscan, or nothing to look for
    database: bytes | None

    def scanner(self) -> Scanner:
        """Return a scanner of its own for the calling thread."""
        found = load_hyperscan(self.database) if self.database else None
        return found or make_scanner(self.index.keys)

    def rule(self, rule_id: str) -> Rule:
        """Return a rule; only those that fire are ever built. Raises `KeyError` for an unknown id."""
        rule = self._built.get(rule_id)
        if rule is None:
            rule = self._built[rule_id] = from_plain(self._rules[rule_id])
        return rule

    def catalogue(self) -> Catalogue:
        """Return the words that the rules share, without the rules: those are asked for one by one."""
        return Catalogue.from_plain({**self.plain, "rules": []})

    @cached_property
    def _built(self) -> dict[str, Rule]:
        return {}

    @cached_property
    def _rules(self) -> dict[str, Any]:
        # a record in plain form is its values in order, and the id is the first field of a rule
        return {rule["v"][0]: rule for rule in self.plain["rules"]}


def compiled_catalogue(
    cache: CacheFolder | None,
    folder: Path = SHIPPED,
    private: Path | None = None,
    calm: Callable[[], Iterable[str]] = tuple,
) -> CompiledCatalogue:
    """Return the catalogue of the folders, from the cache where it holds this very content.

    `calm` gives texts of logs without trouble; it is asked only when the catalogue must be compiled.
    Raises `CatalogueError` for faults in files, `UnprovenLiteralError` for a literal that is not implied.
    """
    key = _key(content_hash([folder, *([private] if private else [])]))
    kept = cache.read(_KIND, key) if cache else None
    if kept is not None:
        return _unpack(kept)
    # YAML and its checks are needed only here, where nothing is kept yet
    from rules.engine.rule.loading import load_catalogue  # noqa: PLC0415

    catalogue = load_catalogue(folder, private)
    index = build_index(catalogue.rules, calm())
    scanner = make_scanner(index.keys)
    database = scanner.dump() if isinstance(scanner, HyperscanScanner) else None
    compiled = CompiledCatalogue(catalogue.to_plain(), index, database)
    if cache:
        cache.write(_KIND, key, _pack(compiled))
    return compiled


def _key(content: str) -> str:
    program = [str(_FORMAT), _program_state(), sys.version, os.uname().machine]
    parts = [content, *program, *_engine_parts()]
    return sha256("\0".join(parts).encode()).hexdigest()


def _program_state() -> str:
    """Return what changes when the code that loads and compiles rules does: names, sizes and times."""
    here = Path(__file__).parent
    files = sorted(
        [Path(__file__), *(here / "rule").glob("*.py"), *(here / "matching" / "scan").glob("*.py")]
    )
    return ",".join(f"{file.name}:{(state := file.stat()).st_size}:{state.st_mtime_ns}" for file in files)


def _engine_parts() -> list[str]:
    """Return what a compiled database depends on: the library and the processor."""
    if not hyperscan_available():
        return ["re2"]
    import hyperscan  # noqa: PLC0415  # optional

    return ["hyperscan", str(vars(hyperscan).get("__version__")), _processor()]


def _processor() -> str:
    """Return the processor's features as Linux tells them; elsewhere the name of the system."""
    try:
        with Path("/proc/cpuinfo").open("rb") as file:
            head = file.read(8192)
    except OSError:
        return os.uname().version
    features = [line for line in head.splitlines() if line.startswith((b"flags", b"Features"))]
    return features[0].decode("ascii", "replace") if features else os.uname().version


def _pack(compiled: CompiledCatalogue) -> bytes:
    index = compiled.index
    head = {
        "plain": compiled.plain,
        "signals": [[one.rule, one.name, one.regex, one.scope.value] for one in index.signals],
        "keys": [[key.data.hex(), key.caseless] for key in index.keys],
        "owners": index.owners,
        "database": compiled.database is not None,
    }
    return json.dumps(head).encode() + b"\n" + (compiled.database or b"")


def _unpack(data: bytes) -> CompiledCatalogue:
    text, _, database = data.partition(b"\n")
    head = json.loads(text)
    signals = tuple(
        IndexedSignal(rule, name, regex, Scope(scope)) for rule, name, regex, scope in head["signals"]
    )
    keys = tuple(Key(bytes.fromhex(data), caseless) for data, caseless in head["keys"])
    index = SignalIndex(signals, keys, tuple(tuple(places) for places in head["owners"]))
    return CompiledCatalogue(head["plain"], index, database if head["database"] else None)
