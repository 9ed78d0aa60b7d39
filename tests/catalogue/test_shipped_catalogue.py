"""The shipped rules: sound for every release, and right on every sample beside them."""

from pathlib import Path

import pytest

from rules.engine.rule.loading import load_catalogue, load_samples
from rules.engine.start import Options, start_engine
from rules.lint.linting import errors, lint
from rules.lint.trials import run_samples
from rules.releases.shipped import load_releases

CATALOGUE = load_catalogue()


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return start_engine(Options(cache=tmp_path_factory.mktemp("cache")))


def test_every_rule_is_sound_for_every_release():
    issues = errors(lint(CATALOGUE, load_releases()))

    assert [str(issue) for issue in issues] == []


def test_every_sample_gets_the_answer_that_its_header_states(engine):
    trials = run_samples(CATALOGUE, engine)

    failed = [
        f"{trial.rule}/{trial.sample.name}: {' '.join(trial.faults)}" for trial in trials if trial.faults
    ]
    assert failed == []
    assert len(trials) >= 3 * len(CATALOGUE.rules)


def test_no_rule_fires_certainly_on_another_rules_firing_sample(engine):
    wrong = []
    for rule in CATALOGUE.rules:
        for sample in load_samples(rule):
            if sample.kind != "fires" or rule.asks_only:
                continue
            report = engine.diagnose(sample.text)
            wrong += [
                f"{other.rule} on {rule.id}/{sample.path.name}"
                for other in report.diagnoses
                if other.failure_class != rule.failure_class
            ]

    assert wrong == []


def test_every_class_has_a_family_and_one_sentence():
    assert len(CATALOGUE.classes) >= 106
    for one in CATALOGUE.classes:
        assert one.family in {"attention-backend", "other"}
        assert one.description.endswith(".")


def test_phrases_exist_in_both_languages():
    assert set(CATALOGUE.phrases["en"]) == set(CATALOGUE.phrases["zh"])
    asked = {key.removeprefix("ask.") for key in CATALOGUE.phrases["en"] if key.startswith("ask.")}
    assert asked == {
        key.removeprefix("ask.") for key in CATALOGUE.phrases["commands"] if key.startswith("ask.")
    }


def test_no_rule_lies_outside_a_family_folder():
    for rule in CATALOGUE.rules:
        assert rule.folder is not None
        assert Path(rule.folder).parent.name == rule.family
