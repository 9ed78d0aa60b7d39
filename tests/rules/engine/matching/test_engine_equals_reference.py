"""The fast matcher finds what a slow one finds: on every sample and on random logs, small and large."""

import io
import random
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.engine.compiled import compiled_catalogue
from rules.engine.matching.scan.scanner import SetScanner, make_scanner
from rules.engine.matching.scan.windows import read_excerpt
from rules.engine.matching.verifying import Matcher
from rules.engine.paste.reading import WHOLE
from rules.engine.reader import PasteReader
from rules.engine.rule.catalogue import SHIPPED
from tests.rules.engine.matching.reference_matcher import engine_findings, reference_findings

SAMPLES = sorted(SHIPPED.rglob("samples/*.log"))
SCANNERS = (make_scanner, SetScanner)


@cache
def catalogue():
    compiled = compiled_catalogue(None)
    return compiled.index, [compiled.rule(one["v"][0]) for one in compiled.plain["rules"]]


def both(text, make):
    """Return the findings of the engine and of the reference on the same lines."""
    index, rules = catalogue()
    reader = PasteReader()
    evidence = reader.clean(text, unwrap=True)
    code = reader.failure(evidence).code
    hits = Matcher(index, make(index.keys)).match(evidence, code)
    return engine_findings(hits), reference_findings(rules, evidence, code)


@pytest.mark.parametrize("make", SCANNERS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: f"{path.parent.parent.name}/{path.stem}")
def test_every_sample_gives_the_findings_of_the_reference(sample, make):
    found, expected = both(sample.read_text(encoding="utf-8"), make)

    assert found == expected


@cache
def fragments():
    """Return texts that rules look for, whole and broken, and other things that logs hold."""
    _, rules = catalogue()
    literals = [signal.literal for rule in rules for signal in rule.signals]
    texts = [sample.read_text(encoding="utf-8") for sample in SAMPLES]
    lines = [line for text in texts for line in text.splitlines() if line.strip()]
    record = "(EngineCore_DP0 pid=7) ERROR 03-14 09:26:53 [core.py:9] "
    noise = ["INFO 03-14 09:26:53 [x.py:1] ", record, "ValueError: ", "  ", "öß✓", "x" * 300]
    return [*lines, *literals, *(text[: len(text) // 2] for text in literals), *noise]


@pytest.mark.parametrize("make", SCANNERS)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(st.data())
def test_a_random_log_gives_the_findings_of_the_reference(make, data):
    pieces = st.lists(st.sampled_from(fragments()), max_size=4).map("".join)
    text = "\n".join(data.draw(st.lists(pieces, max_size=25)))
    found, expected = both(text, make)

    assert found == expected


@pytest.mark.parametrize("make", SCANNERS)
@pytest.mark.parametrize("seed", range(4))
def test_a_large_log_gives_the_rules_and_captures_of_the_reference(seed, make):
    chance = random.Random(seed)  # noqa: S311  # a log, not a key
    filler = [f'INFO:     10.0.0.{number}:80 - "POST /v1/models HTTP/1.1" 200 OK' for number in range(50)]
    lines = chance.choices(filler, k=WHOLE // 40)
    for fragment in chance.sample(fragments(), k=min(len(fragments()), 30)):
        lines.insert(chance.randrange(len(lines)), fragment)
    index, rules = catalogue()
    scanner = make(index.keys)
    reader = PasteReader()

    excerpt = read_excerpt(io.BytesIO("\n".join(lines).encode()), index, scanner)
    evidence = reader.clean(excerpt.text, unwrap=False)
    hits = Matcher(index, scanner).match(evidence, frozenset())
    everything = reader.clean("\n".join(lines), unwrap=False)
    expected = reference_findings(rules, everything, frozenset())

    assert excerpt.partial
    numbers = {place: excerpt.original(line.number) for place, line in enumerate(evidence.lines)}
    found = {(rule, name, numbers[place], captures) for rule, name, place, captures in engine_findings(hits)}
    assert found == {
        (rule, name, everything.lines[place].number, captures) for rule, name, place, captures in expected
    }
