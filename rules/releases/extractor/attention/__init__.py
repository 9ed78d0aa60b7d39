"""Attention facts of a release.

Backends, selection, encoders, what settings reach, the lines that are logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.releases.extractor.attention.backend_classes import backend_enum
from rules.releases.extractor.attention.backends import read_backends
from rules.releases.extractor.attention.orders import read_text_orders, with_selection
from rules.releases.extractor.attention.packages import read_packages
from rules.releases.extractor.attention.prefixes import read_prefixes
from rules.releases.extractor.attention.question import Asker
from rules.releases.extractor.attention.reach import read_reaches
from rules.releases.extractor.attention.selection import Selector
from rules.releases.extractor.attention.selection_lines import read_selection_lines
from rules.releases.extractor.attention.towers import (
    read_rescues,
    read_tower_choices,
    read_tower_defaults,
    read_towers,
)
from rules.releases.model import Attention

if TYPE_CHECKING:
    from rules.releases.extractor.tree import Tree


def read_attention(tree: Tree) -> Attention:
    """Return all attention facts of a release, in a fixed order.

    A release without an enum of backends has none.
    """
    asker = Asker(tree)
    enum = backend_enum(asker)
    if enum is None:
        return Attention(packages=read_packages(tree), prefixes=read_prefixes(tree))
    backends = read_backends(asker)
    selector = Selector(asker, enum, backends)
    orders = read_text_orders(selector)
    return Attention(
        backends=with_selection(backends, selector, orders),
        text_orders=orders,
        towers=read_towers(asker),
        tower_defaults=read_tower_defaults(asker),
        tower_choices=read_tower_choices(asker),
        rescues=read_rescues(asker),
        reaches=read_reaches(asker),
        selection_lines=read_selection_lines(asker, selector),
        prefixes=read_prefixes(tree),
        packages=read_packages(tree),
    )


__all__ = ["read_attention"]
