"""systemd units: what `ExecStart=` launches and the variables it gets. Not for other settings of a unit."""

from dataclasses import replace
from typing import Final

from rules.engine.launch_files.containers import with_file
from rules.engine.launch_files.found import Findings, RemarkKind
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.interpolating import Interpolated, interpolate
from rules.engine.launch_files.running import ReadScript, Run, read_run
from rules.engine.launch_files.shell.words import name_length
from rules.engine.launch_files.splitting import split_quoted

_PREFIXES: Final = "-@:+!|"
_STARTS: Final = ("ExecStart", "ExecStartPre", "ExecStartPost")


def read_unit(text: str, findings: Findings, read_script: ReadScript) -> None:
    """Note the launches of a unit or drop-in."""
    given = Given()
    starts: dict[str, list[tuple[str, int]]] = {}
    gone: list[str] = []
    for key, value, line in _settings(text):
        if key in _STARTS:
            if value:
                starts.setdefault(key, []).append((value, line))
            else:
                starts.pop(key, None)
        elif key == "Environment":
            given = _with_environment(given, value, findings, line) if value else Given()
        elif key == "EnvironmentFile" and value:
            given = with_file(given, value.removeprefix("-"), findings, line)
        elif key == "PassEnvironment":
            given = given.having({}, value.split())
        elif key == "UnsetEnvironment":
            gone += [word.partition("=")[0] for word in value.split()]
    given = given.without(gone) if gone else given
    for key in _STARTS:
        for value, line in starts.get(key, ()):
            _read_start(value, replace(Run(), given=given, where=key, line=line), findings, read_script)


def _settings(text: str) -> list[tuple[str, str, int]]:
    """Return the settings of `[Service]`, continued lines joined, with the line each begins on."""
    found: list[tuple[str, str, int]] = []
    section = ""
    joined: list[str] = []
    first = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip("\r")
        bare = line.strip()
        if bare.startswith(("#", ";")) or (not joined and not bare):
            continue
        first = first if joined else number
        if line.endswith("\\"):
            joined.append(line[:-1])
            continue
        whole = " ".join((*joined, line)).strip()
        joined = []
        if whole.startswith("[") and whole.endswith("]"):
            section = whole
        elif section == "[Service]":
            key, mark, value = whole.partition("=")
            if mark:
                found.append((key.strip(), value.strip(), first))
    return found


def _with_environment(given: Given, value: str, findings: Findings, line: int) -> Given:
    words = split_quoted(value, escapes_in_single=True)
    if words is None:
        findings.remark(RemarkKind.QUOTE_OPEN, line, "`Environment=`")
    for word in words or ():
        name, mark, text = word.partition("=")
        if mark:
            filled = _specifiers(text)
            given = given.having(
                {} if filled.unresolved else {name: filled.text}, [name] if filled.unresolved else []
            )
    return given


def _read_start(value: str, run: Run, findings: Findings, read_script: ReadScript) -> None:
    words = split_quoted(value, escapes_in_single=True)
    if not words:
        findings.remark(RemarkKind.QUOTE_OPEN, run.line, f"`{run.where}=`")
        return
    plain = ":" in words[0][: len(words[0]) - len(words[0].lstrip(_PREFIXES))]
    words[0] = words[0].lstrip(_PREFIXES)
    texts: list[str] = []
    unresolved: list[str] = []
    for word in words:
        filled = _specifiers(word)
        unresolved += filled.unresolved
        texts += [filled.text] if plain else _expanded(filled.text, run.given, unresolved)
    findings.spend(sum(map(len, texts)))
    read_run(texts, replace(run, unresolved=tuple(unresolved)), findings, read_script)


def _expanded(word: str, given: Given, unresolved: list[str]) -> list[str]:
    """Return the words of one; `$X` alone is split at blanks, an unknown variable is nothing to systemd."""
    is_alone = word.startswith("$") and name_length(word, 1) == len(word) - 1 and len(word) > 1
    if is_alone and word[1:] in given.values:
        return given.values[word[1:]].split()
    found = interpolate(word, given.values)
    unresolved += found.unresolved
    return [found.text]


def _specifiers(text: str) -> Interpolated:
    """Replace `%%`; another specifier (`%i`, `%h`) is known to the manager alone and stays."""
    found: list[str] = []
    unresolved: list[str] = []
    at = 0
    while at < len(text):
        end = text.find("%", at)
        if end < 0 or end + 1 >= len(text):
            break
        found.append(text[at:end])
        following = text[end + 1]
        if following == "%":
            found.append("%")
        else:
            found.append(text[end : end + 2])
            if following.isalpha():
                unresolved.append(text[end : end + 2])
        at = end + 2
    found.append(text[at:])
    return Interpolated("".join(found), tuple(unresolved))
