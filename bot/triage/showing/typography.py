"""Sentences made easier to scan: names as code, a first clause as heading. Pure. Not for their words."""

from __future__ import annotations

import re

#: flags, and names in capitals with underscores, with a value that follows an equals sign; the look behind
#: keeps the search from starting inside a word, so its cost grows with the length and no faster
_NAME = re.compile(
    r"(?<![\w`-])(?:--[a-z][a-z0-9-]*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:=[\w./:-]*\w)?)(?![\w`])", re.ASCII
)
#: where a clause ends
_ENDS = (". ", ": ", "; ", "。", "：", "；")
#: a heading shorter than this says too little
_SHORTEST = 16
#: texts that are longer are no sentences of a rule
_LONGEST = 4_000


def with_code(text: str) -> str:
    """Return the sentence with flags and variables between backticks; one that marks code itself stays."""
    if "`" in text or len(text) > _LONGEST:
        return text
    return _NAME.sub(lambda found: f"`{found[0]}`", text)


def heading_and_rest(text: str) -> tuple[str, str]:
    """Return the first clause, without its full stop, and what follows it as a sentence of its own."""
    found = [(text.find(end, _SHORTEST), end) for end in _ENDS]
    cuts = [(at, end) for at, end in found if at != -1]
    if not cuts:
        return text.removesuffix(".").removesuffix("。"), ""
    at, end = min(cuts)
    return text[:at], _as_sentence(text[at + len(end) :].strip())


def _as_sentence(text: str) -> str:
    """Return the text with a capital first letter, unless its first word is a name."""
    first = text.partition(" ")[0]
    if not first.isalpha() or not first.islower() or first == "vllm":
        return text
    return text[:1].upper() + text[1:]
