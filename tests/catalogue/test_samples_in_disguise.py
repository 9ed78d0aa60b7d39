"""Every firing sample of the attention family, as carriers, chats, terminals and pictures hand it on."""

import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable

import pytest

from rules.engine.paste.facts import Given
from rules.engine.report import Confidence
from rules.engine.rule.loading import load_catalogue
from rules.engine.start import start_engine
from rules.lint.trials import load_samples

Disguise = Callable[[str], str]


def _prefixed(prefix: str) -> Disguise:
    return lambda text: "\n".join(prefix + line for line in text.split("\n"))


def _each(change: Callable[[str], str]) -> Disguise:
    return lambda text: "\n".join(change(line) if line.strip() else line for line in text.split("\n"))


def _log_object(line: str) -> str:
    return json.dumps({"log": f"{line}\n", "stream": "stderr", "time": "2025-12-02T08:01:11Z"})


#: what takes nothing away
FAITHFUL: dict[str, Disguise] = {
    "compose": _prefixed("vllm-1  | "),
    "kubernetes": _prefixed("2025-12-02T08:01:11.123456789Z stderr F "),
    "kubectl": _prefixed("[pod/vllm-0/vllm] "),
    "journald": _prefixed("Dec 02 08:01:11 gpu-host vllm[4711]: "),
    "json": _each(_log_object),
    "rank": _prefixed("[rank0]: "),
    "tag": _prefixed("(Worker_TP1 pid=42) "),
    "ray": _prefixed("\x1b[36m(RayWorkerWrapper pid=812, ip=10.0.0.4)\x1b[0m "),
    "quote": _prefixed("> "),
    "bold": _each("**{}**".format),
    "code": _each("`{}`".format),
    "indented": _prefixed("    "),
    "windows": lambda text: text.replace("\n", "\r\n"),
    "curled": lambda text: text.replace("'", "’").replace('"', "”"),
    "chinese": lambda text: f"大家好，vLLM 启动失败，日志如下：\n\n```\n{text}\n```\n\n请问怎么解决？谢谢",
}
#: what breaks or bends the text itself
LOSSY: dict[str, Disguise] = {
    "wrapped by words": _each(lambda line: textwrap.fill(line, 80, break_long_words=False)),
    "cut by a terminal": _each(lambda line: "\n".join(line[at : at + 60] for at in range(0, len(line), 60))),
    "read from a picture": lambda text: re.sub(r"(?<=\w)([.:,])(?=\s)", r" \1", text),
}


def _cases(rules, most: int):
    for rule in rules:
        if rule.family == "attention-backend" and not rule.asks_only:
            fires = [sample for sample in load_samples(rule) if sample.kind == "fires"]
            yield from ((rule, sample) for sample in fires[:most])


@pytest.fixture(scope="module")
def rules():
    return load_catalogue().rules


@pytest.fixture(scope="module")
def first_diagnosis():
    engine = start_engine()

    def diagnose(sample, disguise: Disguise):
        headers = sample.headers
        given = Given(
            vllm_version=headers.get("release"),
            gpu=headers.get("gpu"),
            model=headers.get("model"),
            env=sample.pairs("env") or {},
            command=headers.get("command"),
        )
        report = engine.diagnose(disguise(sample.text.rstrip("\n")), given, "en")
        return report.diagnoses[0] if report.diagnoses else None

    return diagnose


@pytest.mark.parametrize("name", FAITHFUL)
def test_what_stands_round_the_lines_changes_no_answer(rules, first_diagnosis, name):
    missed = []
    for rule, sample in _cases(rules, most=1):
        found = first_diagnosis(sample, FAITHFUL[name])
        if found is None or found.failure_class != rule.failure_class:
            missed.append(f"{rule.id}/{sample.path.name}: {found and found.rule}")

    assert missed == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSSY)
def test_broken_text_is_mostly_read_and_never_answered_wrongly_with_certainty(rules, first_diagnosis, name):
    outcomes: Counter[str] = Counter()
    for rule, sample in _cases(rules, most=99):
        found = first_diagnosis(sample, LOSSY[name])
        right = found is not None and found.failure_class == rule.failure_class
        certain = found is not None and found.confidence is Confidence.CERTAIN
        outcomes["right" if right else "wrong and certain" if certain else "missed"] += 1

    assert outcomes["wrong and certain"] == 0
    assert outcomes["right"] >= 0.93 * outcomes.total()
