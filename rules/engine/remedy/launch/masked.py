"""Words of a launch for a shell; a masked one becomes a variable with an obvious name. Not for masking."""

import re
import shlex
from collections.abc import Iterator, Sequence

#: what masking leaves behind (`<secret>`, `<user>`), and what people write for it
_MASK = re.compile(r"<[a-z][a-z -]*>|\*{3}|\u2026", re.IGNORECASE)
#: what people write where they left words out
_LEFT_OUT = frozenset({"...", "\u2026", "[...]", "<...>"})
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*\Z")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
#: variables whose name says more than that of the flag
_NAMES = {"--api-key": "VLLM_API_KEY", "--model": "MODEL", "-v": "VOLUME"}
NO_MODEL = '"${MODEL:?set MODEL to the model that you serve}"'


def is_masked(text: str) -> bool:
    """Tell whether a part of the text was masked, so that it cannot be used as it stands."""
    return _MASK.search(text) is not None


def is_copyable(text: str) -> bool:
    """Tell whether a text can stand in a command as it is: plain ASCII, with nothing masked."""
    return text.isascii() and not is_masked(text)


def is_whole(argv: Sequence[str]) -> bool:
    """Tell whether a launch was shown with no words left out."""
    return bool(argv) and _LEFT_OUT.isdisjoint(argv)


def value_word(flag: str, value: str) -> str:
    """Return a flag's value for a shell, or the variable that stands for a value that nobody can copy."""
    if is_copyable(value):
        return shlex.quote(value)
    name = _NAMES.get(flag) or flag.lstrip("-").upper().replace("-", "_").replace(".", "_")
    return NO_MODEL if name == "MODEL" else f'"${{{name}:?set {name}}}"'


def shell_words(argv: Sequence[str]) -> Iterator[str]:
    """Yield the words of a launch, quoted; what was masked or is not ASCII as a variable, left-out words not.

    >>> list(shell_words(("vllm", "serve", "m", "--api-key", "<secret>")))
    ['vllm', 'serve', 'm', '--api-key', '"${VLLM_API_KEY:?set VLLM_API_KEY}"']
    """
    before = ""
    for place, word in enumerate(argv):
        if word in _LEFT_OUT:
            continue
        name, equals, value = word.partition("=")
        if equals and _VARIABLE.match(name) and not is_copyable(value):
            yield f'"{name}=${{{name}:?set {name}}}"'
        elif equals and _FLAG.match(name) and not is_copyable(value):
            yield f"{name}={value_word(canonical(name), value)}"
        elif _FLAG.match(before):
            yield value_word(canonical(before), word)
        else:
            yield value_word("--model" if before == "serve" else f"--argument-{place}", word)
        before = word


def canonical(name: str) -> str:
    """Return a flag in the spelling of the facts: vLLM's parser takes underscores for hyphens."""
    return name.replace("_", "-") if name.startswith("--") else name
