"""Kubernetes manifests: the containers that launch vLLM, in any kind of object. Speaks to no cluster."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from rules.engine.launch_files.containers import Container
from rules.engine.launch_files.found import Findings, RemarkKind
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.interpolating import replace_brackets
from rules.engine.launch_files.running import ReadScript, Run, read_started
from rules.engine.launch_files.yaml_files.tree import Mapping, Node, Scalar, Sequence, texts

#: KServe's single container has no list round it
_SINGLE: Final = ("model", "container", "mainContainer")
_LISTS: Final = ("containers", "initContainers")


def read_manifest(document: Mapping, findings: Findings, read_script: ReadScript) -> None:
    """Note the launches of one object, or of each in a list."""
    objects = document.items("items") if (document.text("kind") or "").endswith("List") else [document]
    for one in objects:
        if isinstance(one, Mapping):
            kind = one.text("kind") or "object"
            name = one.mapping("metadata").text("name") or one.mapping("metadata").text("generateName") or "?"
            if kind == "ConfigMap":
                _read_scripts(one, f"ConfigMap {name}", read_script)
            for container in _containers(one):
                called = container.text("name") or "?"
                _read_container(container, f"container {called} of {kind} {name}", findings, read_script)


def _containers(top: Mapping) -> Iterator[Mapping]:
    """Yield what has an image or a command below an object, each once."""
    seen: set[int] = set()
    waiting: list[Node] = [top]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Sequence):
            waiting += reversed(node.items)
        elif isinstance(node, Mapping):
            for key, value in node.entries.items():
                found = value.items if key in _LISTS and isinstance(value, Sequence) else []
                if key in _SINGLE and isinstance(value, Mapping):
                    found = [value]
                for one in found:
                    if isinstance(one, Mapping) and id(one) not in seen:
                        seen.add(id(one))
                        yield one
            waiting += reversed(node.entries.values())


def _read_container(node: Mapping, where: str, findings: Findings, read_script: ReadScript) -> None:
    command, args = node.entries.get("command"), node.entries.get("args")
    image = node.text("image")
    words = [text for part in (command, args) for text, _ in texts(part)]
    runtime = node.text("runtime") or ""
    if not any("vllm" in word for word in (*words, image or "", runtime)):
        return
    given = _environment(node, findings)
    unresolved: list[str] = []

    def replaced(part: Node | None) -> tuple[str, ...]:
        found = [replace_brackets(text, given.values) for text, _ in texts(part)]
        unresolved.extend(name for one in found for name in one.unresolved)
        findings.spend(sum(len(one.text) for one in found))
        return tuple(one.text for one in found)

    # where a runtime of KServe's is named, its image is not in the file
    by_runtime = ("vllm", "serve") if image is None and command is None and runtime else ()
    container = Container(image, by_runtime or replaced(command), replaced(args), given, where)
    lines = node.lines
    line = lines.get("command", lines.get("args", lines.get("image", node.line)))
    script = max((line for part in (command, args) for _, line in texts(part)), default=None)
    run = replace(Run(), where=where, line=line, script_line=script, unresolved=tuple(unresolved))
    read_started(container, run, findings, read_script)


def _environment(node: Mapping, findings: Findings) -> Given:
    given = Given()
    for source in node.items("envFrom"):
        for kind in ("configMapRef", "secretRef"):
            named = source.mapping(kind).text("name") if isinstance(source, Mapping) else None
            if named:
                subject = f"{kind.removesuffix('Ref')} {named}"
                findings.remark(RemarkKind.ENV_FILE_UNREAD, source.line, subject)
    for variable in node.items("env"):
        name = variable.text("name") if isinstance(variable, Mapping) else None
        if not isinstance(variable, Mapping) or name is None:
            continue
        value = variable.entries.get("value")
        if "valueFrom" in variable.entries:
            given = given.having({}, [name])
            continue
        found = replace_brackets(
            value.text if isinstance(value, Scalar) and not value.is_null else "", given.values
        )
        findings.spend(len(found.text))
        open_names = given.open.intersection(raw[2:-1] for raw in found.unresolved)
        given = given.having({} if open_names else {name: found.text}, [name] if open_names else [])
    return given


def _read_scripts(top: Mapping, where: str, read_script: ReadScript) -> None:
    for name, value in top.mapping("data").entries.items():
        if isinstance(value, Scalar) and "vllm" in value.text:
            read_script(value.text, replace(Run(), where=f"{name} of {where}", line=value.text_line))
