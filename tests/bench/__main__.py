"""`python -m tests.bench`: prints goal, reached and ratio of each row, and writes bench.json."""

from pathlib import Path

from tests.bench.engine_rows import engine_rows
from tests.bench.measuring import show
from tests.bench.relaunch_row import relaunch_rows

show([*engine_rows(), *relaunch_rows()], Path("bench.json"))
