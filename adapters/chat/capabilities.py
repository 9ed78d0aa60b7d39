"""What a platform can show, so that a card is made to fit before it is posted. Not for making it fit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a platform can show. Lengths are in characters; a card is made to fit before it is posted."""

    title_limit: int
    #: of one paragraph, bullet or quoted block
    text_limit: int
    field_limit: int
    #: of all texts of one card together
    total_limit: int
    #: of sections and parts together
    blocks_limit: int
    fields_limit: int
    buttons_limit: int
    button_label_limit: int
    #: of one choice
    options_limit: int
    file_limit_bytes: int
    can_be_private: bool = True
    #: a private reply that is posted a second time under its id shows once
    repeats_private: bool = True
    #: False: links are only followed when they name a host
    has_own_pages: bool = False
    #: characters that the platform counts as more than one, with what each adds (`&` is sent as `&amp;`)
    heavier: tuple[tuple[str, int], ...] = ()

    def length(self, text: str) -> int:
        """Return the length of a text as the platform counts it."""
        return len(text) + sum(text.count(character) * extra for character, extra in self.heavier)
