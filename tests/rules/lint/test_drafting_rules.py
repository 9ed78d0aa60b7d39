"""A drafted rule loads, and says itself what is still missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.rule.loading import load_catalogue
from rules.lint.linting import lint
from rules.lint.scaffold import scaffold
from tests.rules.engine.remedy.handmade import HandmadeReleases

LINE = "ValueError: max_num_seqs (300) exceeds available Mamba cache blocks (12)."


def test_a_draft_loads_and_looks_for_the_line_it_was_made_of(tmp_path):
    for name, content in scaffold("local-new-rule", "other", LINE).items():
        path = tmp_path / "other" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    catalogue = load_catalogue(tmp_path)

    (rule,) = catalogue.rules
    assert rule.signals[0].literal in LINE
    checks = {issue.check for issue in lint(catalogue, HandmadeReleases())}
    assert "matching" not in checks
    assert {"references", "drafts"} <= checks


def test_an_id_that_is_no_slug_is_refused():
    with pytest.raises(ValueError, match="lower-case"):
        scaffold("New Rule")


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=200))
def test_any_line_makes_a_draft_that_yaml_can_read(tmp_path_factory, line):
    folder = tmp_path_factory.mktemp("draft")
    for name, content in scaffold("local-new-rule", "other", line).items():
        path = folder / "other" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    assert [rule.id for rule in load_catalogue(folder).rules] == ["local-new-rule"]
