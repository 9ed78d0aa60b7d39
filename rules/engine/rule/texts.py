"""Reads the words of a rule from `text/<language>.md`.

Not for shared phrases, nor for filling placeholders.
"""

import re
from pathlib import Path

from rules.engine.rule.faults import Fault
from rules.engine.rule.model import Text

#: the headings of every text, in this order, in every language
HEADINGS = ("Title", "Cause", "What it is not")
LANGUAGES = ("en", "zh")


def read_texts(folder: Path) -> tuple[dict[str, Text], list[Fault]]:
    """Return the texts by language, and what is wrong with them; English must be there."""
    texts: dict[str, Text] = {}
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.md")):
        if path.stem not in LANGUAGES:
            faults.append(Fault(path, 1, f"`{path.stem}` is no language of ours; use {', '.join(LANGUAGES)}"))
            continue
        text = _read(path, faults)
        if text:
            texts[path.stem] = text
    if "en" not in texts and not faults:
        faults.append(Fault(folder / "en.md", 1, "is missing: English is what other languages fall back to"))
    return texts, faults


def _read(path: Path, faults: list[Fault]) -> Text | None:
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        heading = re.match(r"##? +(.+?) *$", line)
        if heading:
            name = heading[1]
            if name not in HEADINGS or name in sections:
                faults.append(
                    Fault(
                        path, number, f"`{name}` is not expected here; use once each: {', '.join(HEADINGS)}"
                    )
                )
            current = sections.setdefault(name, [])
        elif current is not None:
            current.append(line)
        elif line.strip():
            faults.append(
                Fault(path, number, f"text before the first heading; begin with `## {HEADINGS[0]}`")
            )
    filled = {name: _join(lines) for name, lines in sections.items()}
    missing = [name for name in HEADINGS if not filled.get(name)]
    if missing:
        faults.append(Fault(path, 1, f"needs text under {', '.join(missing)}"))
        return None
    return Text(title=filled["Title"], cause=filled["Cause"], not_this=filled["What it is not"])


def _join(lines: list[str]) -> str:
    """Join the lines of a paragraph.

    With a blank between Latin words, with nothing between Chinese characters.
    """
    paragraphs: list[str] = []
    text = ""
    for line in [*(line.strip() for line in lines), ""]:
        if not line:
            if text:
                paragraphs.append(text)
            text = ""
        elif text and (ord(text[-1]) > 0x2E7F or ord(line[0]) > 0x2E7F):
            text += line
        else:
            text = f"{text} {line}" if text else line
    return "\n\n".join(paragraphs)
