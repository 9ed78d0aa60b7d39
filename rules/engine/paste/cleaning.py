"""From what was sent to plain numbered lines: encodings, terminal codes, chat markup. Not for prefixes."""

import codecs
import contextlib
from typing import Final, NamedTuple

import re2

#: colours, cursor moves and titles, with the escape character itself or as people see it written out
_ANSI: Final = re2.compile(
    r"(?:\x1b|\x{241b}|\^\[|\\x1[bB]|\\033|\\e|\\u001[bB])"
    r"(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][0-9AB]|[=>78cDEHMNOZ])"
    r"|\x{9b}[0-?]{0,32}[@-~]"
)
_ANSI_HINTS: Final = ("\x1b", "\x9b", "␛", "^[")
_WRITTEN_HINTS: Final = ("\\x1b", "\\x1B", "\\033", "\\e[", "\\u001")
#: what is left of a colour when a web page drops the escape character
_BARE_COLOUR: Final = re2.compile(r"\[\d{1,3}(?:;\d{1,3}){0,4}m")
#: a log holds few different colour codes, and replacing each is much faster than walking over all of them
_DIFFERENT_CODES: Final = 24
_LONGEST_CODE: Final = 600

#: a link, mention or channel as Slack sends it
_SLACK_LINK: Final = re2.compile(r"<((?:https?://|mailto:)[^<>|\s]+)(?:\|([^<>\n]*))?>")
_SLACK_MENTION: Final = re2.compile(r"<[@#!][A-Za-z][A-Za-z0-9^]{0,40}(?:\|[^<>\n]*)?>")
_HTML_BREAK: Final = re2.compile(r"(?i)<br ?/?>|</(?:p|div|tr|li|pre|blockquote|h[1-6])>")
_HTML_TAG: Final = re2.compile(
    r"(?i)</?(?:code|span|tt|samp|td|th|b|i|em|strong|mark|font|a|ol|ul|table|tbody|wbr)(?: [^<>\n]*)?/?>"
    r"|<(?:p|div|tr|li|pre|blockquote|h[1-6])(?: [^<>\n]*)?>"
)
_HTML_HINTS: Final = (
    *("</code", "</pre", "</p>", "</div", "</span", "</tt", "</samp", "</CODE", "</PRE", "</block"),
    *("</td>", "</li>", "</b>", "</strong>", "</em>", "</a>", "</font>", "<wbr", "</h"),
)
#: the ampersand last, so that an escaped escape stays what it was
_ENTITIES: Final = (
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", '"'),
    ("&#39;", "'"),
    ("&#x27;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
)

#: a double dash that a chat client turned into one long one
_LONG_DASH: Final = re2.compile(r"(^|[\s'\"`])[—–]([A-Za-z])")

_WIDE: Final = {
    **dict.fromkeys("“”„‟〝〞″＂", '"'),
    **dict.fromkeys("‘’‚‛′＇", "'"),
    **dict.fromkeys(
        map(chr, [0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]), " "
    ),
    **dict.fromkeys(
        map(chr, [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF]), ""
    ),
    **dict.fromkeys(map(chr, [*range(0x80, 0x85), *range(0x86, 0xA0)]), ""),
}
_CONTROL: Final = {**dict.fromkeys(map(chr, [*range(9), *range(14, 32), 127]), ""), "\v": " ", "\f": " "}

_FENCES: Final = ("```", "~~~")
_MARKS: Final = frozenset("`>*~_│┃")
#: sides of the box in which a terminal's program shows text
_SIDES: Final = "│┃"
_PROGRESS_MARKS: Final = ("%|", "%", "it/s", "s/it")
#: so many overwritten texts of one line are looked at
_OVERWRITTEN_KEPT: Final = 50
#: so many different tags are taken off, each wherever it stands
_DIFFERENT_TAGS: Final = 60
#: so many parts of one line of a page are made lines
_MOST_PARTS: Final = 3000
#: share of NUL bytes from which text is taken for UTF-16 without a byte-order mark
_UTF16_SHARE: Final = 0.3


class NumberedLine(NamedTuple):
    """A line and where it stood in the original, from 1; several share a number when one held them all."""

    number: int
    text: str


def decode(data: bytes) -> str:
    """Return the text of a file; bytes that are no text become U+FFFD, and nothing raises."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    head = data[:4096]
    if head and head.count(0) > len(head) * _UTF16_SHARE:
        little = head[1::2].count(0) >= head[0::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", errors="replace")
    data = data.removeprefix(codecs.BOM_UTF8)
    # Windows in China writes GB 2312, in which no single byte is high, so other encodings hardly pass for it
    for encoding in ("utf-8", "gb2312"):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("utf-8", errors="replace")


def clean_text(text: str) -> str:
    """Return the text without terminal codes and chat escapes; newlines stay, so numbers hold."""
    if "\r" in text:
        text = text.replace("\r\r\n", "\n").replace("\r\n", "\n")
        if "\n" not in text and "%" not in text:
            text = text.replace("\r", "\n")
    text = _without_bare_colours(_without_codes(text))
    if "<" in text:
        text = _plain_links(text)
    if "&" in text:
        for entity, character in _ENTITIES:
            if entity in text:
                text = text.replace(entity, character)
    if not text.isascii():
        text = "\n".join(line if line.isascii() else _plain_characters(line) for line in text.split("\n"))
    for character, plain in _CONTROL.items():
        if character in text:
            text = text.replace(character, plain)
    return text


def _plain_characters(line: str) -> str:
    """Return the line with curled quotes, odd blanks, unseen characters and long dashes made plain."""
    for character in _WIDE.keys() & set(line):
        line = line.replace(character, _WIDE[character])
    return str(_LONG_DASH.sub(r"\1--\2", line)) if "—" in line or "–" in line else line


def _without_codes(text: str) -> str:
    """Return the text without terminal codes. They end themselves, so each can be replaced as a literal."""
    replaced = 0
    for hint in (*_ANSI_HINTS, *_WRITTEN_HINTS) if "\\" in text else _ANSI_HINTS:
        position = text.find(hint)
        while position >= 0 and replaced < _DIFFERENT_CODES:
            found = _ANSI.match(text[position : position + _LONGEST_CODE])
            if found is None:
                position = text.find(hint, position + 1)
            else:
                text = text.replace(found.group(), "")
                position = text.find(hint, position)
            replaced += 1
        if position >= 0:
            return str(_ANSI.sub("", text))
    return text


def _without_bare_colours(text: str) -> str:
    """Return the text without colours whose escape character was lost."""
    for _ in range(_DIFFERENT_CODES):
        found = _BARE_COLOUR.search(text)
        if found is None:
            return text
        text = text.replace(found.group(), "")
    return str(_BARE_COLOUR.sub("", text))


def _plain_links(text: str) -> str:
    """Return the text without the links, mentions and tags of chat clients."""
    followers = {part[:1] for part in text.split("<")[1:]}
    if followers & {"h", "m"} and ("<http" in text or "<mailto:" in text):
        text = _SLACK_LINK.sub(lambda match: match.group(2) or match.group(1), text)
    if followers & {"@", "#", "!"}:
        text = _SLACK_MENTION.sub("", text)
    if followers & {"/", "w"} and any(tag in text for tag in _HTML_HINTS):
        for _ in range(_DIFFERENT_TAGS):
            found = _HTML_TAG.search(text)
            if found is None:
                break
            text = text.replace(found.group(), "")
    return text


def clean_lines(text: str, first_number: int = 1) -> list[NumberedLine]:
    """Return the cleaned lines of a text whose first line has the given number.

    Blank lines and Markdown fences are dropped. Trailing blanks tell where a terminal cut a line, and stay.
    """
    lines: list[NumberedLine] = []
    for number, line in enumerate(clean_text(text).split("\n"), first_number):
        if not line:
            continue
        if "\r" in line:
            lines.extend(NumberedLine(number, _unmarked(part)) for part in _without_progress(line))
        elif "<" in line and ("<br" in line or "<BR" in line or "</" in line):
            lines.extend(
                NumberedLine(number, _unmarked(part)) for part in _HTML_BREAK.split(line, _MOST_PARTS)
            )
        elif line[0] in _MARKS or line[-1] in _MARKS:
            lines.append(NumberedLine(number, _unmarked(line)))
        else:
            lines.append(NumberedLine(number, line))
    return [line for line in lines if line.text and not line.text.isspace()]


def _without_progress(line: str) -> list[str]:
    """Split at carriage returns and drop what a progress bar overwrote; other text is kept, in order."""
    parts = [part for part in line.split("\r") if part.strip()]
    overwritten = parts[:-1][:_OVERWRITTEN_KEPT]
    kept = [part for part in overwritten if not any(mark in part for mark in _PROGRESS_MARKS)]
    return [*kept, *parts[-1:]] or [""]


def _unmarked(line: str) -> str:
    """Take off quote marks, fences, bold and code marks round a line."""
    if line[:1] == ">":
        line = _unquoted(line)
    if line[:1] in _SIDES and line.rstrip()[-1:] in _SIDES:
        line = line.rstrip()[1:-1].removeprefix(" ").rstrip()
    stripped = line.strip()
    if stripped.startswith(_FENCES):
        inner = stripped.strip("`~").strip()
        # A fence with text after it is either a language name or a one-line code block.
        return inner if " " in inner else ""
    if stripped.startswith("**"):
        line = _unbold(line.lstrip())
    elif len(stripped) > 2 and stripped[0] == stripped[-1] and stripped[0] in "*_~" and stripped[1] != " ":
        line = stripped[1:-1]
    stripped = line.strip()
    ticks = stripped.count("`")
    if stripped.startswith("`") and (ticks == 1 or (ticks == 2 and stripped.endswith("`"))):
        line = stripped.strip("`")
    elif stripped.endswith("`") and ticks % 2:
        line = line.rstrip().removesuffix("`")
    elif stripped.endswith("**"):
        line = line.rstrip().removesuffix("**")
    return line


def _unquoted(line: str) -> str:
    marks = line[: len(line) - len(line.lstrip("> "))]
    return line[marks.rfind(">") + 1 :].removeprefix(" ")


def _unbold(line: str) -> str:
    rest = line[2:]
    if "**" in rest:
        return rest.replace("**", "", 1)
    # `**kwargs` at the start of a line is code, `**(Worker` or `**Error` a bold mark whose end was cut off.
    return rest if rest[:1] in "([{" or rest[:1].isupper() else line
