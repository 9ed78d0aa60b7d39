"""The machine of a case as release facts ask for it, and all machines that unknown facts leave open.

Not for reading facts.
"""

from collections.abc import Iterator
from dataclasses import replace

from rules.engine.paste.facts import Facts
from rules.releases.model import CAPABILITIES
from rules.releases.release import Where

ARCHITECTURES = ("x86_64", "aarch64")
#: head size of the encoder that prints the label, from the published configurations (hidden size / heads)
_TOWER_HEADS = {
    "Qwen2-VL": 80,
    "Qwen2.5-VL": 80,
    "Qwen3-VL": 72,
    "Keye-VL": 72,
    "PaddleOCR-VL": 72,
    "Ernie45-VL": 80,
    "Pangu-VL": 80,
    "GLM-4V": 128,
    "Molmo": 64,
}


#: head size that a language model is taken to have: those of today have 128 or 64, which backends treat alike
_TEXT_HEAD = 128


def text_machine(facts: Facts) -> Where:
    """Return where the language model runs, as far as it is known; an unnamed platform is taken for CUDA."""
    return Where(
        platform=facts.platform or "cuda",
        compute_capability=facts.compute_capability,
        architecture=facts.architecture,
        head_size=_TEXT_HEAD,
    )


def tower_machine(facts: Facts, label: str | None) -> Where:
    """Return where the encoder runs; its head size is known for the encoders that check their backend."""
    return replace(text_machine(facts), head_size=_TOWER_HEADS.get(label or ""))


def completions(where: Where, *, of_architecture: bool = True) -> Iterator[Where]:
    """Yield every machine that the unknown facts leave open; on request the architecture stays as it is."""
    capabilities: tuple[str | None, ...] = (where.compute_capability,)
    if where.compute_capability is None and where.platform == "cuda":
        capabilities = CAPABILITIES
    architectures: tuple[str | None, ...] = (where.architecture,)
    if of_architecture and where.architecture is None:
        architectures = ARCHITECTURES
    for capability in capabilities:
        for architecture in architectures:
            yield replace(where, compute_capability=capability, architecture=architecture)
