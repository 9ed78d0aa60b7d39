"""Rows 1 to 8 and 10: the scan, the whole diagnosis, other tools, hostile pastes, the cold start."""

import io
import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rules.engine.matching.scan.blocks import blocks
from rules.engine.matching.scan.index import build_index
from rules.engine.matching.scan.scanner import make_scanner
from rules.engine.matching.verifying import Matcher
from rules.engine.paste.evidence import Evidence, EvidenceLine
from rules.engine.start import start_engine
from tests.bench.material import hostile, log, rules, texts, write_log
from tests.bench.measuring import Row, beside_count, cpu_of, quantile, spent_by

_SCAN_GOALS = {100: 1.5, 1_000: 2.2, 10_000: 8.0}
_MILLI = 1000


def engine_rows(big: int = 100_000_000) -> Iterator[Row]:
    """Yield the rows; `big` is the size of the large log in bytes."""
    yield from _scan_rows()
    yield from _paste_rows()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vllm.log"
        write_log(path, big)
        yield _large_row(path)
        yield _ripgrep_row(path, Path(folder))
    yield _plain_loop_row()
    yield from _hostile_rows()
    yield _cold_start_row()


def _matcher(count: int) -> Matcher:
    index = build_index(rules(count), texts().logged)
    return Matcher(index, make_scanner(index.keys))


def _scan(matcher: Matcher, data: bytes) -> int:
    """Look for all signals in raw bytes: the prefilter over blocks, RE2 on the distinct lines it names."""
    lines: dict[bytes, None] = {}
    for block in blocks(io.BytesIO(data)):
        until = 0
        for end, key in matcher.scanner.scan(block.data):
            if end > until and matcher.index.owners[key]:
                until = block.data.find(b"\n", end) + 1 or len(block.data)
                lines[block.data[block.data.rfind(b"\n", 0, end) + 1 : until]] = None
    texts = (line.decode(errors="replace").rstrip("\n") for line in lines)
    evidence = Evidence(tuple(EvidenceLine(number, text) for number, text in enumerate(texts, 1)))
    return len(matcher.match(evidence, frozenset()).rules)


def _scan_rows() -> Iterator[Row]:
    data = log(10_000_000)
    taken = {}
    for count, goal in _SCAN_GOALS.items():
        matcher = _matcher(count)
        taken[count], yardstick = beside_count(lambda m=matcher: _scan(m, data), data)  # type: ignore[misc]
        ratio = taken[count] / yardstick
        yield Row(1, f"scan 10 MB, {count} rules", f"<= {goal} x count", f"{ratio:.2f} x", ratio / goal)
    growth = taken[1_000] / taken[100]
    yield Row(2, "flatness 100 -> 1 000 rules", "<= 1.6 x", f"{growth:.2f} x", growth / 1.6)


def _paste_rows() -> Iterator[Row]:
    engine = start_engine()
    for number, name, size, goals in ((3, "2 kB", 2_000, (3, 10)), (4, "200 kB", 200_000, (10, 30))):
        pastes = [log(size, error, seed) for seed in range(4) for error in ("end", "start", "none")]
        taken = sorted(one for paste in pastes for one in cpu_of(lambda p=paste: engine.diagnose(p), 24))  # type: ignore[misc]
        half, most = quantile(taken, 0.5) * _MILLI, quantile(taken, 0.99) * _MILLI
        goal = f"p50 <= {goals[0]} ms, p99 <= {goals[1]} ms"
        reached = f"p50 {half:.2f} ms, p99 {most:.2f} ms"
        yield Row(number, f"diagnosis of {name}", goal, reached, max(half / goals[0], most / goals[1]))


_LARGE = """
import json, resource, sys, time
from rules.engine.start import start_engine
engine = start_engine()
engine.diagnose("hello")
start = time.process_time()
with open(sys.argv[1], "rb", buffering=0) as file:
    report = engine.diagnose_stream(file)
taken = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([taken, peak, report.status, [one.rule for one in report.diagnoses]]))
"""
_COUNT = """
import sys, time
taken = []
data = open(sys.argv[1], "rb").read()
for _ in range(5):
    start = time.process_time(); data.count(b"\\n"); taken.append(time.process_time() - start)
print(sorted(taken)[2])
"""


def _large_row(path: Path) -> Row:
    runs = [json.loads(spent_by([sys.executable, "-c", _LARGE, str(path)]).output) for _ in range(3)]
    yardstick = float(spent_by([sys.executable, "-c", _COUNT, str(path)]).output)
    taken, peak = statistics.median(run[0] for run in runs), max(run[1] for run in runs)
    if runs[0][2] != "diagnosed":
        raise RuntimeError(f"the large log was answered with {runs[0][2]}")
    size = path.stat().st_size // 10**6
    ratio = taken / yardstick
    reached = f"{ratio:.2f} x count ({taken * _MILLI:.0f} ms), {peak:.0f} MiB"
    return Row(
        5,
        f"diagnosis of {size} MB from a file",
        "<= 6 x count, <= 64 MiB",
        reached,
        max(ratio / 6, peak / 64),
    )


def _ripgrep_row(path: Path, folder: Path) -> Row:
    name, goal = "whole process against rg -F, 1 000 rules", "<= 0.6 x CPU, <= 0.2 x memory"
    ripgrep = shutil.which("rg")
    if ripgrep is None:
        return Row(6, name, goal, "not measured: no rg on this machine", None)
    made = rules(1_000)
    literals = folder / "literals"
    literals.write_text("\n".join(rule.signals[0].literal for rule in made) + "\n", encoding="utf-8")
    theirs = spent_by([ripgrep, "-F", "-c", "-j1", "-f", str(literals), str(path)])
    ours = spent_by([sys.executable, "-m", "tests.bench.scan_file", str(path), str(folder / "cache")])
    ours = spent_by([sys.executable, "-m", "tests.bench.scan_file", str(path), str(folder / "cache")])
    cpu, memory = ours.cpu / theirs.cpu, ours.peak / theirs.peak
    return Row(6, name, goal, f"{cpu:.2f} x CPU, {memory:.2f} x memory", max(cpu / 0.6, memory / 0.2))


def _plain_loop_row() -> Row:
    made, data = rules(1_000), log(200_000)
    patterns = [re.compile(rule.signals[0].regex, re.ASCII) for rule in made]
    text = data.decode()
    start = time.process_time()
    for pattern in patterns[::20]:
        pattern.search(text)
    plain = (time.process_time() - start) * 20
    matcher = _matcher(1_000)
    mine = statistics.median(cpu_of(lambda: matcher.scanner.scan(data), 50))
    times = plain / mine
    return Row(
        7, "against the plain re loop, 200 kB, 1 000 rules", ">= 1 000 x", f"{times:,.0f} x", 1_000 / times
    )


def _hostile_rows() -> Iterator[Row]:
    engine = start_engine()
    benign = log(1_000_000)
    usual = statistics.median(cpu_of(lambda: engine.diagnose(benign), 5))
    for name, paste in hostile().items():
        taken = statistics.median(cpu_of(lambda p=paste: engine.diagnose(p), 3))  # type: ignore[misc]
        times, milli = taken / usual, taken * _MILLI / (len(paste) / 1_000_000)
        goal = "<= 20 x benign, <= 100 ms per MB"
        yield Row(8, f"hostile: {name}", goal, f"{times:.2f} x, {milli:.0f} ms", max(times / 20, milli / 100))


def _cold_start_row() -> Row:
    paste = log(2_000)
    command = [sys.executable, "-m", "bot", "diagnose", "--json", "-"]
    spent_by(command, paste)
    taken = statistics.median(spent_by(command, paste).cpu for _ in range(5))
    return Row(10, "cold start of diagnose, 2 kB", "<= 0.35 s CPU", f"{taken:.2f} s", taken / 0.35)
