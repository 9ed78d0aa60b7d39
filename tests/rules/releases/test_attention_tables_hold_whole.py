"""Whole tables over every shipped release: what encoders accept, flag values, orders of backends."""

from dataclasses import fields

import pytest
from packaging.specifiers import SpecifierSet

from rules.releases.model import CAPABILITIES, Attention, ChosenBy, Part
from rules.releases.release import Where
from rules.releases.shipped import load_releases

FA, SDPA, XF, AITER = "FLASH_ATTN", "TORCH_SDPA", "XFORMERS", "ROCM_AITER_FA"
TRITON, FI, FLEX = "TRITON_ATTN", "FLASHINFER", "FLEX_ATTENTION"


def _releases(specifier):
    within = SpecifierSet(specifier)
    return [load_releases().get(version) for version in load_releases().versions() if version in within]


#: by encoder and range of releases: what it accepts; outside these ranges it does not check
TOWERS = [
    ("Ernie45-VL", ">=0.10.2,<0.12", (FA, SDPA, XF, AITER)),
    ("Ernie45-VL", "==0.12.0", (FA, SDPA, AITER)),
    ("GLM-4V", ">=0.9.2,<0.11.1", (FA, SDPA, XF)),
    ("GLM-4V", ">=0.11.1,<0.12", (FA, SDPA, XF, AITER)),
    ("GLM-4V", "==0.12.0", (FA, SDPA, AITER)),
    ("Keye-VL", ">=0.9.2,<0.11.1", (FA, XF)),
    ("Keye-VL", ">=0.11.1,<0.12", (FA, XF, AITER)),
    ("Keye-VL", "==0.12.0", (FA, SDPA, AITER)),
    ("Molmo", "==0.6.3", (FA, XF)),
    ("Molmo", ">0.6.3,<0.6.5", (FA, SDPA, XF)),
    ("Molmo", "==0.6.3.post1", (FA, SDPA, XF)),
    ("PaddleOCR-VL", ">=0.11.1,<0.12", (FA, SDPA, XF, AITER)),
    ("PaddleOCR-VL", ">=0.12,<0.17", (FA, SDPA, AITER)),
    ("Pangu-VL", ">=0.16,<=0.33.0", (FA,)),
    ("Qwen2-VL", "==0.6.3", (FA, XF)),
    ("Qwen2-VL", "==0.6.3.post1", (FA, SDPA, XF)),
    ("Qwen2-VL", ">=0.6.4,<0.10.1", (FA, SDPA, XF)),
    ("Qwen2-VL", ">=0.10.1,<0.12", (FA, SDPA, XF, AITER)),
    ("Qwen2-VL", "==0.12.0", (FA, SDPA, AITER)),
    ("Qwen2.5-VL", ">=0.7.2,<0.10.1", (FA, SDPA, XF)),
    ("Qwen2.5-VL", ">=0.10.1,<0.12", (FA, SDPA, XF, AITER)),
    ("Qwen2.5-VL", ">=0.12,<0.17", (FA, SDPA, AITER)),
    ("Qwen3-VL", ">=0.11,<0.12", (FA, SDPA, XF, AITER)),
    ("Qwen3-VL", ">=0.12,<0.17", (FA, SDPA, AITER)),
]


def test_every_encoder_that_checks_is_known_with_what_it_accepts():
    expected = {
        (str(release.version), label): accepts
        for label, within, accepts in TOWERS
        for release in _releases(within)
    }

    found = {
        (str(release.version), tower.label): tower.accepts
        for release in _releases("<=0.33.0")
        for tower in release.towers()
    }

    assert found == expected


@pytest.mark.parametrize(
    ("releases", "platform", "choices"),
    [
        (">=0.13,<0.17", "cuda", (SDPA, FA)),
        (">=0.13,<0.17", "rocm", (FA, AITER, SDPA)),
        (">=0.13,<0.16", "xpu", (FA,)),
        ("==0.16.0", "xpu", (FA, SDPA)),
        (">=0.17,<=0.33.0", "cuda", (FA, TRITON, SDPA, FI)),
        (">=0.17,<=0.33.0", "rocm", (FA, AITER, TRITON, SDPA)),
        (">=0.17,<=0.33.0", "xpu", (FA, TRITON, SDPA)),
        (">=0.13,<=0.33.0", "cpu", (SDPA,)),
    ],
)
def test_the_encoder_flag_takes_these_values(releases, platform, choices):
    where = Where(platform=platform, compute_capability="9.0" if platform == "cuda" else None)

    for release in _releases(releases):
        assert release.tower_choices(where) == choices, release.version


def test_below_8_0_the_encoder_flag_takes_the_same_values_in_another_order_of_preference():
    where = Where(compute_capability="7.5")

    for release in _releases(">=0.18,<=0.33.0"):
        assert release.tower_choices(where) == (FA, SDPA, TRITON, FI), release.version
    for release in _releases("<0.11.1"):
        assert release.tower_choices(where) is None


USUAL = (FA, FI, TRITON, FLEX)
TURING = ("7.0", "7.5")
AMPERE_ON = tuple(one for one in CAPABILITIES if float(one) >= 8)
BLACKWELL = ("10.0", "10.3")


@pytest.mark.parametrize(
    ("releases", "capabilities", "order"),
    [
        ("<0.10.2", TURING, (XF,)),
        (">=0.10.2,<0.11.1", TURING, (FLEX,)),
        ("<0.9.1", AMPERE_ON, (FA,)),
        (">=0.9.1,<0.11.1", [one for one in AMPERE_ON if one != "10.0"], (FA,)),
        (">=0.9.1,<0.11.1", ("10.0",), (FI, FA)),
        (">=0.11.1,<=0.33.0", ("7.0",), (TRITON, FLEX)),
        (">=0.11.1,<0.24", ("7.5",), (FI, TRITON, FLEX)),
        (">=0.24,<=0.33.0", ("7.5",), (TRITON, FLEX)),
        (">=0.11.1,<=0.33.0", [one for one in AMPERE_ON if one not in BLACKWELL], USUAL),
        (">=0.11.1,<=0.33.0", BLACKWELL, (FI, FA, TRITON, FLEX)),
    ],
)
def test_the_language_model_tries_these_backends_at_head_size_128(releases, capabilities, order):
    for release in _releases(releases):
        for capability in capabilities:
            where = Where(compute_capability=capability, head_size=128)
            assert release.text_order(where) == order, (str(release.version), capability)


@pytest.mark.parametrize(
    ("releases", "capabilities", "order"),
    [
        ("<0.7.1", CAPABILITIES, None),
        (">=0.7.1,<0.8", CAPABILITIES, ("TRITON_MLA",)),
        (">=0.8,<=0.33.0", [one for one in CAPABILITIES if one not in {"9.0", *BLACKWELL}], ("TRITON_MLA",)),
        (">=0.8,<0.11.1", ("9.0",), ("FLASHMLA",)),
        (">=0.8,<0.10.1", BLACKWELL, ("TRITON_MLA",)),
        # the configuration itself sets CUTLASS_MLA on exactly 10.0: vllm/platforms/cuda.py:158 of 0.10.1.1
        (">=0.10.1,<0.11.1", ("10.0",), ("CUTLASS_MLA",)),
        (">=0.10.1,<0.11.1", ("10.3",), ("TRITON_MLA",)),
        (">=0.11.1,<=0.33.0", ("9.0",), ("FLASH_ATTN_MLA", "FLASHMLA", "TRITON_MLA")),
        # the lists for 10.x hold FLASHMLA too, but only Hopper has it: ops/flashmla.py:59 of 0.11.1
        (">=0.11.1,<0.15", BLACKWELL, ("CUTLASS_MLA", "FLASHINFER_MLA", "TRITON_MLA")),
        (">=0.15,<=0.33.0", BLACKWELL, ("FLASHINFER_MLA", "CUTLASS_MLA", "TRITON_MLA")),
    ],
)
def test_a_model_with_latent_attention_tries_these_backends(releases, capabilities, order):
    for release in _releases(releases):
        for capability in capabilities:
            where = Where(compute_capability=capability, head_size=576, mla=True)
            assert release.text_order(where) == order, (str(release.version), capability)


@pytest.mark.parametrize(
    ("releases", "head_size", "order"),
    [
        ("<0.8", 80, (XF,)),
        (">=0.9.2,<0.11.1", 80, (FLEX,)),
        (">=0.11.1,<0.12", 80, (TRITON, FLEX)),
        (">=0.12,<=0.33.0", 80, (FA, TRITON, FLEX)),
        (">=0.12,<=0.33.0", 96, (FA, TRITON, FLEX)),
    ],
)
def test_odd_head_sizes_lead_elsewhere_on_hopper(releases, head_size, order):
    for release in _releases(releases):
        assert release.text_order(Where(compute_capability="9.0", head_size=head_size)) == order, (
            release.version
        )


@pytest.mark.parametrize("section", [field.name for field in fields(Attention)])
def test_no_release_lacks_a_section_that_both_its_neighbours_have(section):
    """A gap between two full neighbours is a place that the extractor did not find."""
    filled = [bool(getattr(release._attention, section)) for release in _releases("<=0.33.0")]

    gaps = [at for at in range(1, len(filled) - 1) if filled[at - 1] and filled[at + 1] and not filled[at]]
    assert not gaps


def test_every_release_names_its_usual_choice_and_tells_where_each_fact_stands():
    for release in _releases(">=0.6.4,<=0.33.0"):
        facts = release._attention
        assert release.selection_line(Part.TEXT, FA, ChosenBy.AUTO), release.version
        rows = (*facts.backends, *facts.text_orders, *facts.towers, *facts.prefixes)
        assert all(row.source.file and row.source.line for row in rows), release.version
