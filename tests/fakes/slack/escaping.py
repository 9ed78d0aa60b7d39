"""How Slack writes text: entities for & < >, `<url|label>`, `<@U…>`, `<!here>`; and who is pinged by it."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

#: endings that the composer takes for a host name when somebody types `core.py:743` or `README.md`
_ENDINGS = "com|org|net|io|dev|ai|co|md|py|sh|rs|gg"
_URL = re.compile(r"https?://[^\s<>\"'`|]+[^\s<>\"'`|.,;:!?)\]}]")
_MAIL = re.compile(r"(?<![\w.@/-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w@-])")
_BARE = re.compile(rf"(?<![\w@/.:=-])[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?:{_ENDINGS})(?::\d+)?(?![\w.(/-])")
_AT = re.compile(r"(?<![\w&;])@([\w.-]*\w)")
_HASH = re.compile(r"(?<![\w&;])#([\w-]+)")
_STRAY_AMP = re.compile(r"&(?!(?:amp|lt|gt);)")
_CONTROL = re.compile(r"<((?:[@#!]|https?://|mailto:|tel:)[^<>]*)>")
_BROADCASTS = {"here", "channel", "everyone"}


def escape(text: str) -> str:
    """The three entities, as the composer sends them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The three entities back to characters; `&amp;lt;` becomes `&lt;`."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def as_typed(
    text: str, people: Mapping[str, str], channels: Mapping[str, str], *, bare_names: bool = True
) -> str:
    """What arrives when a person types `text`: `people` and `channels` map names to ids."""

    def at(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in _BROADCASTS:
            return f"<!{name}>"
        return f"<@{people[name]}>" if name in people else match.group(0)

    def channel(match: re.Match[str]) -> str:
        name = match.group(1)
        return f"<#{channels[name]}|{name}>" if name in channels else match.group(0)

    steps: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        (_URL, lambda match: f"<{match.group(0)}>"),
        (_MAIL, lambda match: f"<mailto:{match.group(0)}|{match.group(0)}>"),
        (_AT, at),
        (_HASH, channel),
    ]
    if bare_names:
        steps.insert(2, (_BARE, lambda match: f"<http://{match.group(0)}|{match.group(0)}>"))
    return _marked(escape(text), steps)


def _marked(text: str, steps: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]]) -> str:
    """Apply each step only outside what an earlier step has already turned into `<…>`."""
    for pattern, turn in steps:
        parts = re.split(r"(<[^<>]*>)", text)
        text = "".join(part if part.startswith("<") else pattern.sub(turn, part) for part in parts)
    return text


def stored(text: str) -> str:
    """A text from the Web API as Slack keeps it: stray & < > become entities, control forms stay."""
    pieces = []
    last = 0
    for match in _CONTROL.finditer(text):
        pieces += [_entities(text[last : match.start()]), match.group(0)]
        last = match.end()
    return "".join([*pieces, _entities(text[last:])])


def _entities(text: str) -> str:
    return _STRAY_AMP.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def pinged_by_text(text: str, *, link_names: bool = False) -> set[str]:
    """Who is notified by a mrkdwn text: `here`, `channel`, `everyone`, user and group ids."""
    found = set()
    for match in _CONTROL.finditer(text):
        control = match.group(1).split("|", 1)[0]
        if control.startswith("@"):
            found.add(control[1:])
        elif control.startswith("!subteam^"):
            found.add(control.removeprefix("!subteam^"))
        elif control.startswith("!") and control[1:] in _BROADCASTS:
            found.add(control[1:])
    if link_names:
        found |= {name for name in re.findall(r"@([\w.-]*\w)", text) if name in _BROADCASTS}
    return found


def pinged_by_blocks(blocks: list[dict[str, Any]]) -> set[str]:
    """The same for blocks: mrkdwn and markdown texts; user, group and broadcast elements of rich text."""
    found: set[str] = set()
    for node in _nodes(blocks):
        kind = node.get("type")
        if kind in ("mrkdwn", "markdown"):
            found |= pinged_by_text(str(node.get("text", "")))
        elif kind == "broadcast":
            found.add(str(node["range"]))
        elif kind == "user" and "user_id" in node:
            found.add(str(node["user_id"]))
        elif kind == "usergroup":
            found.add(str(node["usergroup_id"]))
    return found


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)
