"""Card → Markdown: the whole answer as a text file. Pure. Not for showing it in a chat."""

from __future__ import annotations

from adapters.chat.interface import (
    Bullets,
    Card,
    Code,
    CodeKind,
    Fields,
    Links,
    Paragraph,
    Part,
    Section,
    Subheading,
)


def document_of(card: Card) -> str:
    """Return the card as Markdown, nothing left out."""
    badges = f" ({', '.join(card.badges)})" if card.badges else ""
    blocks = [f"# {card.title}{badges}"]
    for section in card.sections:
        blocks.extend(_section(section))
    return "\n\n".join(blocks) + "\n"


def _section(section: Section) -> list[str]:
    blocks = [f"## {section.heading}"] if section.heading else []
    if section.aside:
        blocks.append(f"*{section.aside}*")
    blocks.extend(_part(part) for part in section.parts)
    return blocks


def _part(part: Part) -> str:
    match part:
        case Paragraph(text):
            return text
        case Subheading(text):
            return f"**{text}**"
        case Code():
            return _code(part)
        case Fields(fields):
            return "\n".join(f"- {field.name}: {field.value}" for field in fields)
        case Bullets(items):
            return "\n".join(f"- {item}" for item in items)
        case Links(links):
            return "\n".join(f"- {link.text}: {link.url}" for link in links)


def _code(code: Code) -> str:
    fence = "`" * max(3, _longest_run(code.text) + 1)
    info = "sh" if code.kind is CodeKind.COMMAND else "text"
    note = f"\n\n{code.note}" if code.note else ""
    return f"{fence}{info}\n{code.text}\n{fence}{note}"


def _longest_run(text: str) -> int:
    """Return the length of the longest run of backticks."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
