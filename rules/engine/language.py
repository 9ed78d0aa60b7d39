"""In which language to answer a paste. Not for translating anything."""

from rules.engine.paste.evidence import Evidence

#: Chinese characters from which on a paste is taken for a Chinese speaker's
_ENOUGH = 2
#: lines that are looked at: the person's words stand before or after the log
_EDGE = 200


def language_of(evidence: Evidence, wanted: str) -> str:
    """Return `en` or `zh`: what was wanted, or for `auto` the language of what a person wrote round the log.

    Log records do not count: prompts and names in them may be in any language. Kana means Japanese, which is
    answered in English.
    """
    if wanted in ("en", "zh"):
        return wanted
    lines = evidence.lines
    if len(lines) > 2 * _EDGE:
        lines = (*lines[:_EDGE], *lines[-_EDGE:])
    text = "".join(line.text for line in lines if line.level is None and not line.text.isascii())
    if any("\u3041" <= character <= "\u30ff" for character in text):
        return "en"
    return "zh" if sum("\u4e00" <= character <= "\u9fff" for character in text) >= _ENOUGH else "en"
