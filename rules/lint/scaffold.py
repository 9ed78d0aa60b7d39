"""Drafts the files of a new rule, sound enough to load and to be filled in. Not for writing them to disk."""

import json
import re

from rules.engine.matching.scan.literals import SHORTEST_LITERAL
from rules.engine.rule.texts import HEADINGS, LANGUAGES

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
#: exception names before a message
_EXCEPTION = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_.]*(?:Error|Exception|Warning)): ")
_TODO = "TODO"


def scaffold(rule_id: str, family: str = "other", line: str | None = None) -> dict[str, str]:
    """Return the files of a new rule by path below its family's folder.

    `line` is the line that names the failure, from a paste; the draft looks for exactly that. Raises
    `ValueError` for an id that is no slug.
    """
    if not _ID.match(rule_id):
        raise ValueError(
            f"`{rule_id}` is no id: use lower-case words joined with hyphens, such as `kv-cache-too-small`"
        )
    message = _EXCEPTION.sub("", (line or "the text that the failure prints").strip(), count=1)
    files = {f"{rule_id}/rule.yaml": _rule(rule_id, family, message)}
    for language in LANGUAGES:
        text = "\n\n".join(f"## {heading}\n\n{_words(language)}" for heading in HEADINGS)
        files[f"{rule_id}/text/{language}.md"] = text + "\n"
    shown = line or message
    files[f"{rule_id}/samples/fires-first.log"] = f"#! origin: {_TODO}\n#! status: diagnosed\n{shown}\n"
    files[f"{rule_id}/samples/silent-healthy.log"] = (
        f"#! origin: {_TODO}\n#! status: not-an-incident\nINFO:     Application startup complete.\n"
    )
    return files


def _words(language: str) -> str:
    return f"{_TODO}" if language == "en" else f"{_TODO} 待译"


def _rule(rule_id: str, family: str, message: str) -> str:
    literal = message[:80].rstrip()
    literal = literal if len(literal) >= SHORTEST_LITERAL else literal.ljust(SHORTEST_LITERAL, ".")
    regex = re.escape(literal).replace("\\ ", " ").replace("\\-", "-")
    return f"""\
id: {rule_id}
version: 1
status: experimental
class: undetermined # choose one of classes.yaml
family: {family}
origin: vllm # who prints it: vllm, torch, cuda, nccl, python ...
impact: blocks-start
confidence: likely
releases: ">=0.6.3" # narrow it to the releases that print this
signals:
  - name: message
    regex: {json.dumps(regex, ensure_ascii=False)}
    literal: {json.dumps(literal, ensure_ascii=False)}
condition: message
fixes: []
ask:
  - fact: vllm_version
references: []
"""
