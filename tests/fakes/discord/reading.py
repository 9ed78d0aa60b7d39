"""What people read in a Discord message: content, embeds, components; its buttons."""

from collections.abc import Iterator

from tests.fakes.discord.records import Payload


def readable(payload: Payload) -> str:
    """All text on the screen, one part a line."""
    parts = [payload.get("content") or ""]
    for embed in payload.get("embeds") or []:
        parts += [embed.get("title"), embed.get("description")]
        parts += [f"{field['name']}\n{field['value']}" for field in embed.get("fields") or []]
        parts.append((embed.get("footer") or {}).get("text"))
    parts += [one["content"] for one in components(payload) if one["type"] == 10]
    return "\n".join(part for part in parts if part)


def buttons(payload: Payload) -> list[Payload]:
    """The buttons that can be pressed, in order."""
    return [one for one in components(payload) if one["type"] == 2 and not one.get("disabled")]


def choices(payload: Payload) -> list[Payload]:
    """The lists to choose from, in order."""
    return [one for one in components(payload) if one["type"] == 3 and not one.get("disabled")]


def components(payload: Payload) -> Iterator[Payload]:
    """Every component at any depth."""
    for one in payload.get("components") or []:
        yield one
        yield from components(one)
        if accessory := one.get("accessory"):
            yield accessory
