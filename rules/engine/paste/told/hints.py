"""Tells a text that shows no failure and yet is about one: trouble told in words, a name of code alone.

Not for what failed, and not for whether to answer: that depends on whether somebody asks.
"""

from collections.abc import Sequence
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.nature import Nature
from rules.engine.paste.told.talk import is_told

#: lines that are looked at; a log of any length shows early whose it is
_MOST_LINES: Final = 200
_TROUBLE: Final = re2.compile(
    r"(?i)\b(?:crash(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|errors?|exceptions?|oom|out of memory|hangs?|hanging|hung"
    r"|stuck|dead ?locks?|deadlocked|dies|died|dying|kill(?:s|ed|er)?|terminat(?:es|ed)|broken|breaks?"
    r"|corrupt(?:ed|ion)?|cannot|can ?not|can'?t|couldn'?t|could not|won'?t|unable|refuse[sd]?|rejects?|rejected"
    r"|(?:does|do|did)(?:n'?t| not) (?:work|start|load|run|respond|come up|fit)|not (?:freed|released|found|working"
    r"|starting|responding|initiali[sz]ed|available|recogni[sz]ed|supported)|never (?:ends|starts|returns|finishes"
    r"|comes)|waits? for ?ever|missing|unhealthy"
    r"|wrong(?:ly)?|lost|leaks?|ignored|unsupported|incompatible|invalid|denied|conflicts?|remains?|only supports?"
    r"|seg ?faults?|tracebacks?|mismatch|timeouts?|timed out|still tries)\b"
    r"|报错|失败|崩溃|卡住|卡死|挂起|无法|不能|异常|错误|超时|爆显存|显存不足|启动不了|起不来|没反应|被杀"
)
#: questions of speed, and wishes: nothing is broken
_NO_TROUBLE: Final = re2.compile(
    r"(?i)\b(?:slow(?:er|ly)?|fast(?:er|est)?|throughput|latency|tok(?:en)?s? ?/ ?s(?:ec|econd)?\b|benchmarks?"
    r"|performance|please (?:support|add)|feature request|would be (?:nice|great)|recommend(?:s|ed)?|any plans?)\b"
    r"|更慢|更快|太慢|吞吐|性能|速度|求支持|请支持|希望支持"
)
#: names of code, flags, variables, paths and processes: a program's words rather than a person's
_TECHNICAL: Final = re2.compile(
    r"\w_\w|\w::\w|(?:^|\s)(?:--[a-z]|-[a-z][a-z-]+[a-z])|\w=\S|(?:^|\s)/\w+/\w|[a-z][A-Z]+[a-z]\w|\b[A-Z]{2,}[a-z]+[A-Z]|\[\d\]"
    r"|^\w[\w ]*: \d"
)


def is_hinted(lines: Sequence[EvidenceLine], nature: Nature) -> bool:
    """Tell whether a text without a failure hints at one, by trouble told or by a bare name."""
    if nature.other_program is not None or nature.started or nature.served:
        return False
    told = _told(lines)
    if _is_calm(told):
        return False
    if any(_TROUBLE.search(text) is not None for text in told):
        return True
    asks = any(text.rstrip().endswith(("?", "？")) for text in told)  # as Chinese questions end
    return not asks and any(_TECHNICAL.search(text) is not None for text in told)


def is_begun(lines: Sequence[EvidenceLine], nature: Nature) -> bool:
    """Tell whether vLLM's output ends before it shows a server that came up."""
    return nature.vllm and not (nature.started or nature.served) and not _is_calm(_told(lines))


def _told(lines: Sequence[EvidenceLine]) -> list[str]:
    """Return what stands there as it was written, no logger before it."""
    some = (line for line in lines[:_MOST_LINES] if line.level is None)
    return [line.text for line in some if line.text.strip()]


def _is_calm(told: Sequence[str]) -> bool:
    """Tell whether it is a question of speed, a wish, or talk of a message."""
    return any(_NO_TROUBLE.search(text) is not None or is_told(text) for text in told)
