"""How the server was launched: model, arguments and environment. Not for judging whether that is right."""

from dataclasses import dataclass, field
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.fact_reading.arguments import (
    ALIASES,
    LISTED_LITERALS,
    read_arguments,
    read_listed_flags,
)
from rules.engine.paste.fact_reading.page import Page
from rules.engine.paste.fact_reading.shell import Command, read_command, without_prose

_ENV_NAME: Final = (
    r"(?:VLLM|CUDA|NCCL|HF|TORCH|TORCHINDUCTOR|PYTORCH|TRITON|RAY|HIP|ROCR|ROCM|GLOO|FLASHINFER|FLASH_ATTENTION|FLASH_ATTN|"
    r"AITER|OMP|HSA|NVIDIA|PJRT|TPU|LD|HUGGING_FACE|TRANSFORMERS|TOKENIZERS|PYTHON|UCX|NVSHMEM|LMCACHE|XLA|K|MAX|ASCEND|HCCL)"
    r"_[A-Z0-9_]+"
)
_VALUE: Final = r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'`,;)\]}，。；：！？、（）“”‘’]*)"
#: `X=Y` of shells, env files, `docker -e` and systemd; `os.environ["X"] = "Y"`; `X: Y` of YAML; `ENV X Y`
_SET: Final = re2.compile(r"\b(" + _ENV_NAME + r")(?:[\"']?\]?\s?=\s?|[\"']\s*,\s*)" + _VALUE)
_YAML: Final = re2.compile(r"^[\s-]*[\"']?(" + _ENV_NAME + r")[\"']?\s*:\s+" + _VALUE + r"\s*,?$")
_SPACED: Final = re2.compile(r"^\s*(?:ENV|setenv)\s+(" + _ENV_NAME + r")\s+" + _VALUE)
_YAML_NAME: Final = re2.compile(r"name:\s*[\"']?(" + _ENV_NAME + r")[\"']?\s*$")
_YAML_VALUE: Final = re2.compile(r"^\s*value:\s*[\"']?([^\"'\n]*)")
_ENV_HINTS: Final = (
    "VLLM_",
    "CUDA_",
    "NCCL_",
    "HF_",
    "TORCH",
    "FLASH",
    "RAY_",
    "HIP_",
    "ROC",
    "AITER",
    "TRITON_",
    "LD_",
    "PYTORCH_",
)
_IS_SET_TO: Final = re2.compile(r"\b(VLLM_[A-Z0-9_]+) is set to ([A-Za-z0-9_]+)")
#: words before an assignment that make it advice
_ADVICE: Final = (
    "try ",
    "try setting",
    "should set",
    "recommend",
    "please set",
    "instead of",
    "suggest",
    "unset",
    "without",
    "don't set",
)
_ENGINE_MODEL: Final = re2.compile(r"with config: model=(?:'([^']+)'|([^,\s]+))")
_CODE_MODEL: Final = re2.compile(
    r"\b(?:LLM|AsyncEngineArgs|EngineArgs)\((?:\s*model\s*=\s*)?[\"']([^\"']+)[\"']"
)
_CODE_ENV_START: Final = "environ"
_LAUNCHERS: Final = (
    "vllm serve",
    "vllm.entrypoints",
    "docker run",
    "podman run",
    "nerdctl run",
    "/vllm serve",
)
LITERALS: Final = (
    *_LAUNCHERS,
    *_ENV_HINTS,
    *LISTED_LITERALS,
    *(" is set to ", "non-default args: {", "Namespace(", "with config: model=", "LLM(", "EngineArgs("),
)
_LONGEST_COMMAND: Final = 8000


@dataclass(slots=True)
class Launch:
    """What a paste says of the launch."""

    model: str | None = None
    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    flags: dict[str, str] = field(default_factory=dict)
    image: str | None = None
    container: tuple[str, ...] = ()
    #: variables that the paste gives two values
    ambiguous: dict[str, tuple[str, str]] = field(default_factory=dict)


def read_launch(page: Page) -> Launch:
    """Return model, argv, environment and flags as the paste shows them; what vLLM printed itself wins."""
    launch = Launch()
    for command in _commands(page):
        _take_command(launch, command)
    _take_environment(launch, page)
    for literal in ("non-default args: {", "Namespace("):
        for _, text in page.with_literal(literal):
            arguments = text[text.find(literal) + len(literal) :]
            model, flags = read_arguments(arguments, named=literal.startswith("N"))
            launch.model = model or launch.model
            launch.flags.update(flags)
    launch.flags = {**read_listed_flags(page), **launch.flags}
    launch.flags = {ALIASES.get(name, name): value for name, value in launch.flags.items()}
    _take_models(launch, page)
    return launch


def _commands(page: Page) -> list[Command]:
    """Return the launches of vLLM in the paste, continued lines joined."""
    found: list[Command] = []
    seen: set[int] = set()
    for launcher in _LAUNCHERS:
        for index, _ in page.with_literal(launcher):
            if index in seen or _is_output(page.lines[index]):
                continue
            seen.add(index)
            command = read_command(_whole_command(page, index, launcher))
            if command is not None:
                found.append(command)
    return found


def _whole_command(page: Page, index: int, launcher: str) -> str:
    """Return the command round a line, from where it starts, with lines joined that end in a backslash."""
    text = _from_command(page.lines[index].text, launcher)
    before = index
    while before > 0 and page.lines[before - 1].text.rstrip().endswith("\\") and len(text) < _LONGEST_COMMAND:
        before -= 1
        text = page.lines[before].text.rstrip()[:-1] + " " + text
    after = index
    while text.rstrip().endswith("\\") and after + 1 < len(page.lines) and len(text) < _LONGEST_COMMAND:
        after += 1
        text = text.rstrip()[:-1] + " " + page.lines[after].text
    return text[:_LONGEST_COMMAND]


def _from_command(text: str, launcher: str) -> str:
    """Return the text from the first assignment or word of the command on; in prose words stand before it."""
    position = text.find(launcher)
    tick = text.rfind("`", 0, position)
    if tick >= 0:
        closing = text.find("`", position)
        return text[tick + 1 : closing if closing >= 0 else len(text)]
    words = text[:position].split(" ")
    start = len(words)
    while start and (
        "=" in words[start - 1]
        or words[start - 1] in {"", "python", "python3", "-m", "nohup", "sudo", "env", "export"}
    ):
        start -= 1
    return " ".join([*words[start:], ""]) + text[position:] if start < len(words) else text[position:]


def _take_command(launch: Launch, command: Command) -> None:
    if not launch.argv or len(command.argv) > len(launch.argv):
        launch.argv, launch.container = command.argv, command.container
    launch.model = launch.model or command.model
    launch.image = launch.image or command.image
    for name, value in command.flags.items():
        launch.flags.setdefault(name, value)
    for name, value in command.env.items():
        _set(launch, name, value)


def _set(launch: Launch, name: str, value: str) -> None:
    """Note a value; the first one stays, for later ones often are what was tried next."""
    known = launch.env.get(name)
    if known is None:
        launch.env[name] = value
    elif known != value:
        launch.ambiguous.setdefault(name, (known, value))


def _take_environment(launch: Launch, page: Page) -> None:
    """Read assignments that people wrote; a program's words are advice, except that a variable is set."""
    for _, text in page.with_literal(" is set to "):
        match = _IS_SET_TO.search(text)
        if match is not None:
            _set(launch, match.group(1), match.group(2))
    seen: set[int] = set()
    for hint in _ENV_HINTS:
        for index, text in page.with_literal(hint):
            if index not in seen:
                seen.add(index)
                _take_assignments(launch, page, index, text)


def _take_assignments(launch: Launch, page: Page, index: int, text: str) -> None:
    if _is_output(page.lines[index]) or _is_message(text):
        return
    for pattern in (_SPACED, _YAML):
        match = pattern.match(text)
        if match is not None:
            _set(launch, match.group(1), _bare(match.group(2)))
            return
    named = _YAML_NAME.search(text)
    if named is not None and index + 1 < len(page.lines):
        value = _YAML_VALUE.match(page.lines[index + 1].text)
        if value is not None:
            _set(launch, named.group(1), value.group(1).strip())
    for match in _SET.finditer(text):
        before = text[max(0, match.start() - 30) : match.start()].lower()
        if not any(word in before for word in _ADVICE):
            _set(launch, match.group(1), _bare(match.group(2)))


def _is_output(line: EvidenceLine) -> bool:
    """Tell whether a logger or a tagged process wrote the line; indented code and YAML are people's."""
    return line.level is not None or line.process is not None or line.vllm_record


def _is_message(text: str) -> bool:
    """Tell whether a line is the message of an exception or warning, where an assignment is advice."""
    head = text[:80]
    return (
        "Error:" in head
        or "Warning:" in head
        or "error:" in head
        or "is not supported with" in text
        or " or set " in text
    )


def _bare(value: str) -> str:
    quoted = value[:1] in "\"'" and len(value) > 1
    return value[1:-1] if quoted else without_prose(value).rstrip(".,:!?")


def _take_models(launch: Launch, page: Page) -> None:
    """Read the model from the engine's banner or from Python code, when nothing said it yet."""
    for literal, pattern in (
        ("with config: model=", _ENGINE_MODEL),
        ("LLM(", _CODE_MODEL),
        ("EngineArgs(", _CODE_MODEL),
    ):
        if launch.model is not None:
            return
        for _, text in page.with_literal(literal):
            match = pattern.search(text)
            if match is not None:
                launch.model = next(group for group in match.groups() if group)
                break
