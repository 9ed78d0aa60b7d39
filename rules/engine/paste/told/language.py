"""The language of the person who asks. Program output is always English, so only prose counts."""

from collections.abc import Iterable
from typing import Final

from rules.engine.paste.evidence import EvidenceLine

#: a few signs inside a model's answer or a file name do not make a question Chinese
_ENOUGH: Final = 2
#: characters of a line that are looked at
_LOOKED_AT: Final = 2000


def asker_language(lines: Iterable[EvidenceLine]) -> str:
    """Return `zh` when the prose of a paste is Chinese, else `en`."""
    seen = 0
    for line in lines:
        if line.text.isascii() or line.vllm_record or line.level is not None or line.process is not None:
            continue
        text = line.text[:_LOOKED_AT]
        if any("\u3040" <= character <= "\u30ff" for character in text):
            continue
        seen += sum(1 for character in text if "\u4e00" <= character <= "\u9fff")
        if seen >= _ENOUGH:
            return "zh"
    return "en"
