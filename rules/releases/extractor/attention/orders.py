"""The order of backends for every machine and head size, in as few rows as possible.

Not for how a selector decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.releases.extractor.attention.question import PLATFORMS
from rules.releases.extractor.attention.selection import Case, Selector
from rules.releases.model import CAPABILITIES, HEAD_SIZES, Backend, Source, TextOrder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: head sizes of models with latent attention: DeepSeek V2/V3 (512 + 64), and smaller ones
MLA_HEAD_SIZES = (320, 512, 576)
#: backends that a chain of conditions tries wherever they run, so that where it does not they cannot
FIRST_WHERE_IT_RUNS = ("FLASH_ATTN", "FLASHMLA")


def read_text_orders(selector: Selector) -> tuple[TextOrder, ...]:
    """Return the order of backends for every compute capability and head size of NVIDIA GPUs."""
    found: dict[tuple[bool, tuple[str, ...]], dict[str, list[int]]] = {}
    for mla, capability, size in _cases():
        order = selector.order(Case(capability, size, mla))
        if order:
            found.setdefault((mla, order), {}).setdefault(capability, []).append(size)
    return tuple(
        sorted(_grouped(found, selector.source), key=lambda one: (one.mla, one.capabilities, one.head_sizes))
    )


def with_selection(
    backends: Iterable[Backend], selector: Selector, orders: Iterable[TextOrder]
) -> tuple[Backend, ...]:
    """Return backends with what a selector that is a chain of conditions tells beyond their classes.

    There the classes declare little: the limits of what is tried wherever it runs are where it is tried,
    and a name that a platform's selector never returns cannot be chosen on it.
    """
    if selector.has_priorities:
        return tuple(backends)
    tried: dict[str, set[str]] = {}
    for order in orders:
        for name in order.order:
            tried.setdefault(name, set()).update(order.capabilities)
    found = []
    for backend in backends:
        capabilities = backend.capabilities
        if backend.name in FIRST_WHERE_IT_RUNS and backend.name in tried:
            capabilities = tuple(one for one in CAPABILITIES if one in tried[backend.name])
        platforms = tuple(one for one in PLATFORMS if selector.obeys(backend, one))
        found.append(replace(backend, capabilities=capabilities, platforms=platforms))
    return tuple(found)


def _cases() -> Iterator[tuple[bool, str, int]]:
    for mla, sizes in ((False, HEAD_SIZES), (True, MLA_HEAD_SIZES)):
        for capability in CAPABILITIES:
            for size in sizes:
                yield mla, capability, size


def _grouped(
    found: Mapping[tuple[bool, tuple[str, ...]], Mapping[str, list[int]]], source: Source
) -> Iterator[TextOrder]:
    for (mla, order), by_capability in found.items():
        by_sizes: dict[tuple[int, ...], list[str]] = {}
        for capability, sizes in by_capability.items():
            by_sizes.setdefault(tuple(sizes), []).append(capability)
        for sizes_key, capabilities in by_sizes.items():
            yield TextOrder("cuda", mla, tuple(capabilities), sizes_key, order, source)
