"""What `check` is asked. Not for reading it from a command line, nor for answering."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The launches to check, what is said beside them, and how to answer."""

    #: the command behind `--`, or names of files; may be empty
    words: tuple[str, ...] = ()
    #: named by `--file`
    files: tuple[str, ...] = ()
    vllm_version: str | None = None
    gpu: str | None = None
    env_file: str | None = None
    model_config: Path | None = None
    #: a Python whose vLLM is asked too
    judge: str | None = None
    as_json: bool = False
    #: `en` or `zh`
    language: str = "en"
