"""Words of a command line that no shell reads: quotes and backslashes only. Not for variables."""

import shlex


def split_quoted(text: str, *, escapes_in_single: bool = False) -> list[str] | None:
    """Return the words, None when a quote is not closed. systemd knows backslashes in both kinds of quotes."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if escapes_in_single:
        lexer.escapedquotes = "\"'"
    try:
        return list(lexer)
    except ValueError:
        return None
