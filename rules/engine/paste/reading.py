"""From bytes to evidence: the entrance to cleaning, unwrapping, masking and prefixes. Not for causes."""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine, clean_lines, decode
from rules.engine.paste.evidence import Evidence, EvidenceLine
from rules.engine.paste.masking import mask
from rules.engine.paste.prefixes.json_logs import unpack_escaped, unpack_json
from rules.engine.paste.prefixes.learned import without_learned
from rules.engine.paste.prefixes.reader import PrefixReader
from rules.engine.paste.unwrapping.dedenting import dedent
from rules.engine.paste.unwrapping.folding import fold
from rules.engine.paste.unwrapping.joining import unwrap
from rules.engine.paste.unwrapping.spacing import close_up

#: up to this size a paste is cleaned, unwrapped and masked whole; bytes
WHOLE: Final = 1 << 20


#: one character in so many that is no text makes it binary
_BINARY_SHARE: Final = 20
#: vLLM's lines are long: a paste of more lines is something else, and would take too long to read whole
MOST_LINES: Final = 20_000


def is_whole(data: bytes | str) -> bool:
    """Tell whether a paste is small enough, in bytes and in lines, to be read whole by `read_paste`."""
    newline_count = data.count(b"\n") if isinstance(data, bytes) else data.count("\n")
    return len(data) <= WHOLE and newline_count <= MOST_LINES


def read_paste(data: bytes | str) -> Evidence:
    """Return the evidence of a paste that `is_whole`; what is larger belongs to `read_window`, in pieces."""
    text = decode(data) if isinstance(data, bytes) else data
    cleaned = close_up(_unpacked(clean_lines(text)))
    cleaned = without_learned(cleaned)
    dropped = len(cleaned) > MOST_LINES
    if dropped:
        cleaned = [*cleaned[: MOST_LINES // 2], *cleaned[-MOST_LINES // 2 :]]
    lines, redacted = _masked(cleaned if _is_binary(text) else unwrap(fold(dedent(cleaned))))
    return Evidence(tuple(_without_prefixes(lines)), redacted, dropped=dropped)


def read_window(lines: Sequence[bytes | str], first_number: int) -> Evidence:
    """Return the evidence of consecutive raw lines of a larger log; broken lines are not joined."""
    text = "\n".join(
        line if isinstance(line, str) else line.decode("utf-8", errors="replace") for line in lines
    )
    cleaned, redacted = _masked(_unpacked(clean_lines(text, first_number)))
    return Evidence(tuple(_without_prefixes(cleaned)), redacted, partial=True)


def _is_binary(text: str) -> bool:
    """Tell whether much of a text was no text, so that no lines of it were broken."""
    return text.count("\ufffd") * _BINARY_SHARE > len(text)


def _unpacked(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Return the lines with those of JSON logs replaced by the text inside."""
    if not any('{"' in line.text or "\\n" in line.text for line in lines):
        return lines
    unpacked: list[NumberedLine] = []
    for line in lines:
        inner = (unpack_json(line.text) if '{"' in line.text else None) or unpack_escaped(line.text)
        if inner is None:
            unpacked.append(line)
        else:
            unpacked.extend(NumberedLine(line.number, part) for text in inner for part in _cleaned(text))
    return unpacked


def _cleaned(text: str) -> list[str]:
    if text.isascii() and not any(mark in text for mark in "\x1b\r<&`*>"):
        return [text]
    return [line.text for line in clean_lines(text)]


def _masked(lines: list[NumberedLine]) -> tuple[list[NumberedLine], int]:
    """Return the lines with secrets masked; masking sees them all at once, for keys that span lines."""
    masked, count = mask("\n".join(line.text for line in lines))
    if not count:
        return lines, 0
    return [
        NumberedLine(line.number, text) for line, text in zip(lines, masked.split("\n"), strict=True)
    ], count


def _without_prefixes(lines: list[NumberedLine]) -> list[EvidenceLine]:
    reader = PrefixReader()
    result: list[EvidenceLine] = []
    for line in lines:
        found = reader.read(line.text)
        result.append(
            EvidenceLine(
                line.number,
                found.text,
                found.process,
                found.level,
                found.origin,
                found.vllm_record,
                found.pid,
            )
        )
    return result
