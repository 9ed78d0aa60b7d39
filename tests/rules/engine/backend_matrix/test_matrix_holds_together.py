"""What is true of every matrix, whatever the release, the GPU and the model."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.backend_matrix.matrix import Asked, build_matrix
from rules.engine.backend_matrix.models import families
from rules.engine.backend_matrix.rows import Verdict, Why
from rules.engine.remedy.accepts import text_accepts
from rules.releases.model import CAPABILITIES
from rules.releases.release import Where
from rules.releases.shipped import load_releases
from tests.rules.engine.backend_matrix.matrices import a_matrix

VERSIONS = [str(version) for version in load_releases().versions()]
MACHINES = (*CAPABILITIES, "cpu", "MI300X", "GH200", "Intel Arc A770", "6.1")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(VERSIONS), st.sampled_from((None, *MACHINES)), st.sampled_from((None, *families())))
def test_every_row_has_its_reasons_and_every_default_is_among_the_rows(version, gpu, model):
    name = model.family if model else None
    matrix = build_matrix(Asked(load_releases().get(version), gpu, name, model))

    for column in matrix.columns:
        for side in filter(None, (column.text, column.vision)):
            names = [row.backend for row in side.rows]
            assert len(names) == len(set(names))
            assert all(row.reasons for row in side.rows if row.verdict is not Verdict.WORKS)
            assert [row.backend for row in side.rows if row.is_default] == (
                [side.default] if side.default else []
            )
            places = [row.place for row in side.rows if row.place is not None]
            assert places == list(range(1, len(places) + 1))
        names = {row.backend for row in column.text.rows}
        assert names == {one.name for one in load_releases().get(version).backends()}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plain_model_is_answered_as_the_remedies_answer_it(version):
    """Fixes and matrix rest on the same facts: where both speak, they say the same."""
    release = load_releases().get(version)
    for capability in CAPABILITIES:
        side = build_matrix(Asked(release, capability)).columns[0].text
        where = Where(compute_capability=capability, architecture="x86_64", head_size=128)
        for row in side.rows:
            accepts = text_accepts(release, row.backend, where)
            assert row.verdict is not Verdict.WORKS or accepts is True, row
            if row.verdict is Verdict.FAILS:
                other_kind = {Why.SPARSE_ONLY, Why.PLATFORM, Why.NO_ATTENTION, Why.NEEDS_PLUGIN}
                assert accepts is False or {one.why for one in row.reasons} & other_kind, row


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_release_takes_by_itself_is_what_its_facts_say(version):
    release = load_releases().get(version)
    for capability in CAPABILITIES:
        side = build_matrix(Asked(release, capability)).columns[0].text
        order = release.text_order(Where(compute_capability=capability, architecture="x86_64", head_size=128))
        assert tuple(row.backend for row in side.rows if row.place is not None) == order


def test_an_unknown_gpu_has_a_column_for_each_capability():
    assert [column.capability for column in a_matrix("0.12.0").columns] == list(CAPABILITIES)


def test_an_unknown_model_has_a_language_model_and_a_remark():
    matrix = a_matrix("0.12.0", "acme/Wonder-9B", "H100")

    assert matrix.columns[0].vision is None
    assert "unknown-model" in [remark.value for remark, _ in matrix.remarks]


def test_a_release_without_the_models_code_says_so():
    lacking = [remark.value for remark, _ in a_matrix("0.10.2", "Qwen3-VL", "H100").remarks]
    there = [remark.value for remark, _ in a_matrix("0.11.0", "Qwen3-VL", "H100").remarks]

    assert ("model-lacking" in lacking, "model-lacking" in there) == (True, False)


def test_a_host_of_another_architecture_is_mentioned_where_it_matters():
    matrix = a_matrix("0.11.2", "Qwen3-VL", "H100")
    on_arm = a_matrix("0.11.2", "Qwen3-VL", "GH200")

    assert "architecture" in [remark.value for remark, _ in matrix.remarks]
    assert "architecture" not in [remark.value for remark, _ in on_arm.remarks]


def test_a_default_that_the_encoder_refuses_is_told():
    matrix = a_matrix("0.11.2", "Kwai-Keye/Keye-VL-8B-Preview", "B200")

    assert "default-refused" in [remark.value for remark, _ in matrix.remarks]
