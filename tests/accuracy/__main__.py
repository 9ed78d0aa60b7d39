"""`python -m tests.accuracy CORPUS`: how many labelled incidents the program answers rightly."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rules.engine.start import start_engine
from tests.accuracy.cases import UnusableCorpusError, read_corpus
from tests.accuracy.judging import judge
from tests.accuracy.table import show

_WRONG_USAGE = 64
_UNUSABLE_INPUT = 65


def main(arguments: Sequence[str]) -> int:
    """Print the figures of one corpus; 0 whatever they are."""
    if len(arguments) != 1 or not arguments[0]:
        return _complain("give one corpus: a .jsonl file or a folder", _WRONG_USAGE)
    try:
        cases = read_corpus(Path(arguments[0]))
    except UnusableCorpusError as error:
        return _complain(str(error), _UNUSABLE_INPUT)
    engine = start_engine()
    show([judge(case, engine.diagnose(case.paste, case.given)) for case in cases], sys.stdout)
    return 0


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"{sentence}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
