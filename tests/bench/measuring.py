"""CPU time, ratios and the table that they make. Not for what is measured."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Row:
    """One goal of the table and what was reached."""

    number: int
    what: str
    goal: str
    reached: str
    #: reached divided by goal, so that up to 1 is good; None when it could not be measured
    ratio: float | None


def cpu_of(run: Callable[[], object], times: int = 7) -> list[float]:
    """Return CPU seconds of each of several runs, ascending; a first run that fills caches is not counted."""
    run()
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return sorted(taken)


def beside_count(run: Callable[[], object], data: bytes, times: int = 7) -> tuple[float, float]:
    """Return the median CPU seconds of a run and of counting newlines, taken in turn over the same bytes."""
    run()
    mine, yardstick = [], []
    for _ in range(times):
        start = time.process_time()
        run()
        middle = time.process_time()
        data.count(b"\n")
        mine.append(middle - start)
        yardstick.append(time.process_time() - middle)
    return statistics.median(mine), statistics.median(yardstick)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value below which that share of the ascending values lies."""
    return values[min(len(values) - 1, int(len(values) * share))]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process used."""

    cpu: float
    #: MiB
    peak: float
    output: str


def spent_by(command: Sequence[str], stdin: bytes = b"") -> Spent:
    """Run a program to its end and return what it used; a process in between keeps the figures its own."""
    code = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdin=sys.stdin.buffer, capture_output=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.stdout.decode(),"
        " done.stderr.decode()]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], input=stdin, capture_output=True, check=True, cwd=ROOT
    )
    cpu, peak, output, errors = json.loads(done.stdout)
    if errors and not output:
        raise RuntimeError(f"{command[0]} failed: {errors.strip()[-500:]}")
    return Spent(cpu, peak, output)


def own_peak() -> float:
    """Return the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show(rows: Sequence[Row], to: Path) -> None:
    """Print the table and write it as JSON, with the load of the machine beside it."""
    width = max(len(row.what) for row in rows)
    goals = max(len(row.goal) for row in rows)
    for row in rows:
        ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
        print(f"{row.number:>2}  {row.what:<{width}}  {row.goal:<{goals}}  {ratio:>6}  {row.reached}")  # noqa: T201
    figures = {"rows": [asdict(row) for row in rows], "load": os.getloadavg(), "python": sys.version}
    to.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
