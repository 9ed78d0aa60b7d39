"""Reads one file for launches of vLLM, within bounds of time and memory. Opens nothing; runs nothing."""

from collections.abc import Iterator, Mapping
from typing import Final

from rules.engine.launch_files.dockerfile import read_dockerfile
from rules.engine.launch_files.found import FileReading, Findings, RemarkKind, UnreadableError
from rules.engine.launch_files.kinds import FileKind, file_kind
from rules.engine.launch_files.running import ReadScript, Run
from rules.engine.launch_files.shell.script import ShellScript
from rules.engine.launch_files.systemd import read_unit
from rules.engine.launch_files.yaml_files.compose import read_compose
from rules.engine.launch_files.yaml_files.kubernetes import read_manifest
from rules.engine.launch_files.yaml_files.tree import Mapping as Tree
from rules.engine.launch_files.yaml_files.tree import read_document

_LONGEST: Final = 256 * 1024
#: of a YAML file, of which only documents that speak of vLLM are read
_LONGEST_YAML: Final = 1024 * 1024
_MOST_REPLACED: Final = 40
_DEEPEST: Final = 3


def read_launches(
    name: str, text: str, *, beside: Mapping[str, str] | None = None, known: Mapping[str, str] | None = None
) -> FileReading:
    """Return the launches of vLLM in a file, and what there is to say of it. Never raises for what it holds.

    `beside` holds the texts of env files, by the name that the file gives them; `known` the values of variables
    that the file takes from outside.
    """
    findings = Findings(beside or {}, known or {})
    text = text.removeprefix("\ufeff")
    if "\0" in text or text.count("\N{REPLACEMENT CHARACTER}") > _MOST_REPLACED:
        findings.remark(RemarkKind.NOT_TEXT)
    elif len(text) > (longest := _LONGEST_YAML if file_kind(name, text) is FileKind.YAML else _LONGEST):
        findings.remark(RemarkKind.TOO_LARGE, None, f"this file is larger than {longest // 1024} KiB")
    else:
        try:
            _read(name, text.replace("\r\n", "\n"), findings, 0)
        except UnreadableError as error:
            findings.remark(error.remark.kind, error.remark.line, error.remark.subject)
        if not findings.launches and not findings.remarks:
            findings.remark(RemarkKind.NO_LAUNCH)
    return findings.reading()


def _read(name: str, text: str, findings: Findings, depth: int) -> None:
    def read_script(script: str, run: Run) -> None:
        with findings.part(run.script_line or run.line):
            ShellScript(run, findings, read_written).read(script)

    def read_written(written: str, content: str, findings: Findings) -> None:
        head = content if content.startswith("#!") else ""
        if depth < _DEEPEST and file_kind(written, head) is not FileKind.UNKNOWN:
            _read(written, content, findings, depth + 1)

    kind = file_kind(name, text)
    if kind is FileKind.SHELL:
        read_script(text, Run())
    elif kind is FileKind.UNIT:
        read_unit(text, findings, read_script)
    elif kind is FileKind.DOCKERFILE:
        read_dockerfile(text, findings, read_script)
    elif kind is FileKind.YAML:
        _read_yaml(text, findings, read_script)
    else:
        findings.remark(RemarkKind.UNKNOWN_KIND)


def _read_yaml(text: str, findings: Findings, read_script: ReadScript) -> None:
    for document, line in _documents(text):
        if "vllm" not in document.lower():
            continue
        if len(document) > _LONGEST:
            subject = f"this document is larger than {_LONGEST // 1024} KiB"
            findings.remark(RemarkKind.TOO_LARGE, line, subject)
            continue
        with findings.part(line):
            _read_tree(document, findings, read_script)


def _read_tree(document: str, findings: Findings, read_script: ReadScript) -> None:
    try:
        tree, count = read_document(document, max(findings.nodes, 1))
        findings.nodes -= count
    except UnreadableError as error:
        if error.remark.kind is RemarkKind.TOO_LARGE:
            raise
        findings.remark(error.remark.kind, error.remark.line, error.remark.subject)
        return
    if isinstance(tree, Tree) and "services" in tree.entries:
        read_compose(tree, findings, read_script)
    elif isinstance(tree, Tree) and "kind" in tree.entries:
        read_manifest(tree, findings, read_script)
    else:
        findings.remark(RemarkKind.UNKNOWN_KIND, 1)


def _documents(text: str) -> Iterator[tuple[str, int]]:
    """Yield the documents of a YAML file with their first lines."""
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if line == "---" or line.startswith(("--- ", "---\t")):
            yield "\n".join(lines), first
            lines, first = [line[3:]], number
        else:
            lines.append(line)
    yield "\n".join(lines), first
