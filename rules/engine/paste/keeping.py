"""The text of a paste as it may be kept and shown: masked, also where something hid a secret. Not for reading it."""

from rules.engine.paste.cleaning import clean_lines, clean_text
from rules.engine.paste.masking import mask
from rules.engine.paste.reading import is_whole
from rules.engine.paste.unwrapping.joining import unwrap


def kept_text(text: str) -> tuple[str, int]:
    """Return the text with its secrets masked, and how many there were.

    A colour before a token, an escaped sign in it or a line that a terminal broke hides it from `mask` but
    not from a reader. Where one shows up once that is taken off, the text is kept without it; any other
    text is kept as it was sent.
    """
    masked, count = mask(text)
    cleaned, more = mask(clean_text(masked))
    if more:
        masked, count = cleaned, count + more
    if not is_whole(masked):
        return masked, count
    joined, more = mask("\n".join(line.text for line in unwrap(clean_lines(masked))))
    return (joined, count + more) if more else (masked, count)
