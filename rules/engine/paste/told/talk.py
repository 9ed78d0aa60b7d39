"""Tells a line that talks of a message, in notes on a release or a wish, from one that reports it."""

from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine

#: how the title of a change or of a wish begins, behind its bullet
_TITLE: Final = re2.compile(
    r"(?i)^[\s>*•#-]*(?:\d+\. )?(?:\[?(?:bug ?fix|feature(?: request)?|feat|rfc|docs?|chore|refactor"
    r"|ci/?build|enhancement)[\])(:]|feature request\b)"
)
#: an entry of a change log that quotes the message
_ENTRY: Final = re2.compile(
    r"(?i)^[\s>*•#-]*(?:\d+\. )?(?:fix(?:e[sd])?|add(?:s|ed)?|remove[sd]?|raise[sd]?|document(?:s|ed)?)[: ]"
    r"[^\n\"'`]{0,60}[\"'`]"
)
#: no entry but the statement of a program, which a title joins with what it raised
_STATEMENT: Final = re2.compile(r"^\s*raise [\w.]+\(")
_SAYS_SO: Final = re2.compile(
    r"(?i)\bno longer (?:raise|print|reject|refuse|occur|happen|appear|fail)|\binstead of (?:raising|failing)"
    r"|\b(?:release notes|change ?log)\b|修复了|不再(?:报|出现|抛|提示)|更新日志|功能请求"
)
#: said of a failure that is over, whatever question stands beside it
_SETTLED: Final = re2.compile(
    r"(?i)\b(?:we|i|they|already|been|was|is|got) (?:fixed|solved|resolved)(?: (?:this|it|that))?\b|已经?(?:解决|修复)"
)


def is_talk(line: EvidenceLine) -> bool:
    """Tell whether a line only talks of a message: no program printed it, and its own words say so.

    Who asks a question reports what happened, whatever else the line says.
    """
    text = line.text
    printed = line.vllm_record or line.level is not None or line.process is not None or text[:1] in " \t"
    return not printed and is_told(text)


def is_told(text: str) -> bool:
    """Tell whether the words of a person only talk of a message."""
    if _SETTLED.search(text) is not None:
        return True
    if "?" in text or "？" in text:  # as Chinese questions end
        return False
    entry = _ENTRY.search(text) is not None and _STATEMENT.search(text) is None
    return entry or any(pattern.search(text) is not None for pattern in (_TITLE, _SAYS_SO))
