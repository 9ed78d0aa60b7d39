"""Compose files: the services that launch vLLM. Reads no other file, starts nothing."""

from collections.abc import Iterator
from dataclasses import replace

from rules.engine.launch_files.containers import Container, with_file
from rules.engine.launch_files.found import Findings, RemarkKind
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.interpolating import Interpolated, interpolate
from rules.engine.launch_files.running import ReadScript, Run, read_started
from rules.engine.launch_files.splitting import split_quoted
from rules.engine.launch_files.yaml_files.tree import Mapping, Node, Scalar, Sequence, texts


def read_compose(document: Mapping, findings: Findings, read_script: ReadScript) -> None:
    """Note the launches of each service."""
    for name, service in document.mapping("services").entries.items():
        if isinstance(service, Mapping):
            _Service(name, service, findings).read(read_script)


class _Service:
    """One service."""

    def __init__(self, name: str, service: Mapping, findings: Findings) -> None:
        self._name = name
        self._service = service
        self._findings = findings
        self._unresolved: list[str] = []

    def read(self, read_script: ReadScript) -> None:
        """Note its launches."""
        entrypoint = self._words("entrypoint")
        arguments = self._words("command")
        image = self._text(self._service.text("image") or "") or None
        if not any("vllm" in word for word in (*entrypoint, *arguments, image or "")):
            return
        lines = self._service.lines
        line = lines.get("command", lines.get("entrypoint", lines.get("image", self._service.line)))
        given = self._environment()
        where = f"service {self._name}"
        container = Container(image, entrypoint, arguments, given, where)
        script = self._script_line("command") or self._script_line("entrypoint")
        run = replace(Run(), where=where, line=line, script_line=script, unresolved=tuple(self._unresolved))
        read_started(container, run, self._findings, read_script)

    def _words(self, key: str) -> tuple[str, ...]:
        node = self._service.entries.get(key)
        if isinstance(node, Sequence):
            return tuple(self._text(item.text) for item in node.items if isinstance(item, Scalar))
        if not isinstance(node, Scalar) or node.is_null:
            return ()
        words = split_quoted(self._text(node.text))
        if words is None:
            self._findings.remark(RemarkKind.QUOTE_OPEN, node.line, f"`{key}` of {self._name}")
        return tuple(words or ())

    def _script_line(self, key: str) -> int | None:
        node = self._service.entries.get(key)
        if isinstance(node, Scalar):
            return node.text_line
        return max((line for _, line in texts(node)), default=None)

    def _environment(self) -> Given:
        given = Given()
        for name, line in _env_files(self._service.entries.get("env_file")):
            given = with_file(given, name, self._findings, line)
        for name, value in _settings(self._service.entries.get("environment")):
            found = None if value is None else self._interpolate(value)
            if found is not None and not found.unresolved:
                given = given.having({name: found.text})
            elif value is None and name in self._findings.known:
                given = given.having({name: self._findings.known[name]})
            else:
                given = given.having({}, [name])
        return given

    def _text(self, text: str) -> str:
        found = self._interpolate(text)
        self._unresolved += found.unresolved
        return found.text

    def _interpolate(self, text: str) -> Interpolated:
        found = interpolate(text, self._findings.known)
        self._findings.spend(len(found.text))
        return found


def _settings(node: Node | None) -> Iterator[tuple[str, str | None]]:
    """Yield the variables of `environment`; None is the value of whoever starts compose."""
    if isinstance(node, Mapping):
        for name, value in node.entries.items():
            if isinstance(value, Scalar):
                yield name, None if value.is_null else value.text
    elif isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar):
                name, mark, value_text = item.text.partition("=")
                yield name, value_text if mark else None


def _env_files(node: Node | None) -> Iterator[tuple[str, int]]:
    if isinstance(node, Scalar) and not node.is_null:
        yield node.text, node.line
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Scalar):
            yield item.text, item.line
        elif isinstance(item, Mapping):
            yield item.text("path") or "", item.line
