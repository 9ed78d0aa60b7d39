"""`python -m tests.bench.scan_file LOG CACHE`: scans a file with 1 000 rules, as a process of its own."""

import json
import sys
from pathlib import Path

from rules.engine.cache_folder import CacheFolder
from rules.engine.matching.scan.index import IndexedSignal, Key, SignalIndex, build_index
from rules.engine.matching.scan.scanner import HyperscanScanner, load_hyperscan, make_scanner
from rules.engine.matching.scan.windows import read_excerpt
from rules.engine.rule.model import Scope


def _kept(cache: CacheFolder) -> tuple[SignalIndex, bytes]:
    kept = cache.read("bench", "rules")
    if kept is None:
        from tests.bench.material import rules, texts  # noqa: PLC0415  # only where nothing is kept

        index = build_index(rules(1_000), texts().logged)
        scanner = make_scanner(index.keys)
        database = scanner.dump() if isinstance(scanner, HyperscanScanner) else b""
        head = [
            [key.data.hex(), key.caseless, owners]
            for key, owners in zip(index.keys, index.owners, strict=True)
        ]
        cache.write("bench", "rules", json.dumps(head).encode() + b"\n" + database)
        return index, database
    head, _, database = kept.partition(b"\n")
    entries = json.loads(head)
    keys = tuple(Key(bytes.fromhex(data), caseless) for data, caseless, _ in entries)
    signals = (IndexedSignal("", "", "", Scope.ANY),)
    return SignalIndex(signals, keys, tuple(tuple(owners) for _, _, owners in entries)), database


def main() -> None:
    """Scan the file and print how much of it would be read."""
    index, database = _kept(CacheFolder(Path(sys.argv[2])))
    scanner = load_hyperscan(database) if database else make_scanner(index.keys)
    if scanner is None:
        raise SystemExit("the kept database cannot be used")
    with Path(sys.argv[1]).open("rb", buffering=0) as file:
        print(len(read_excerpt(file, index, scanner).text))  # noqa: T201


main()
