"""The records of one vLLM release: each fact as read from the source, with file and line. Not for questions."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the codec reads the annotations at run time
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact stands in the release's own tree."""

    #: path inside the tree (`vllm/model_executor/models/qwen3_vl.py`)
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Part(StrEnum):
    """The part of a model whose attention is meant."""

    #: the language model
    TEXT = "text"
    #: the vision (or audio) encoder
    TOWER = "tower"


class ChosenBy(StrEnum):
    """Who chose a backend: it decides the wording of the log line."""

    USER = "user"
    AUTO = "auto"


class Unread(StrEnum):
    """What happens in a release to a setting that nothing reads."""

    #: it is read: this does not apply
    IS_READ = "is-read"
    #: not a word
    SILENT = "silent"
    #: a warning names it
    WARNS = "warns"
    #: the start fails, as with a flag that does not exist
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Backend:
    """An attention backend and the limits that its class declares. A limit of None is only known at run time.

    A limit that is named in `at_run_time` and is not None holds what is accepted in any case; the rest is open.
    """

    #: member of the release's enum (`FLASH_ATTN`)
    name: str
    source: Source
    #: accepted compute capabilities among `CAPABILITIES` (`8.0`); None: not declared, or decided at run time
    capabilities: tuple[str, ...] | None
    #: accepted head sizes among `HEAD_SIZES`; None: not declared, or decided at run time
    head_sizes: tuple[int, ...] | None
    #: accepted dtypes (`float16`, `bfloat16`, `float32`); None: not declared
    dtypes: tuple[str, ...] | None
    #: accepted values of `--kv-cache-dtype`; None: not declared
    kv_cache_dtypes: tuple[str, ...] | None
    #: accepted block sizes as declared (`16`, `x16` for any multiple of 16); None: not declared
    block_sizes: tuple[str, ...] | None
    #: `decoder`, `encoder`, `encoder_only`, `encoder_decoder`; None: not declared
    attention_types: tuple[str, ...] | None
    mla: bool = False
    sparse: bool = False
    #: None: decided at run time
    sinks: bool | None = False
    #: names of the limits that the class decides at run time (`kv_cache_dtypes`, `sinks` ...)
    at_run_time: tuple[str, ...] = ()
    #: PyPI name of a package that must be importable beside vLLM (`flash-attn`, `flashinfer-python`, `xformers`)
    package: str | None = None
    #: False: no class stands behind the name, so it cannot run the language model (`TORCH_SDPA`, `CUSTOM`)
    registered: bool = True
    #: platforms where a user who asks for it gets it; None: not known from the source
    platforms: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tower:
    """A vision encoder that checks its backend itself, and what it accepts."""

    #: the name it prints (`Qwen3-VL`)
    label: str
    #: backends it accepts; any other valid name is rejected with `message`
    accepts: tuple[str, ...]
    #: what it prints when it rejects, with `{}` for the backend
    message: str
    source: Source
    #: False where an earlier check of the same release always answers first
    reachable: bool
    #: platforms where the check fires (`cuda`, `cpu` ...); elsewhere a refused backend is replaced before it
    refused_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of `vllm serve`."""

    name: str
    source: Source
    aliases: tuple[str, ...] = ()
    #: `str`, `int`, `float`, `bool`, `json`, `list` or the name of a converter
    type: str = "str"
    #: allowed values as the parser or the configuration class states them; None: any
    choices: tuple[str, ...] | None = None
    #: what vLLM says when it deprecates the flag; None when it does not
    deprecated: str | None = None
    #: default as text (`auto`, `8000`, `None`); None: decided at run time
    default: str | None = None
    #: True: upper and lower case of a value are the same
    any_case: bool = False
    #: how many words follow, as argparse says it (`?`, `*`, `+`); empty: one, or none for a switch
    nargs: str = ""
    #: limits of the number as the configuration class states them (`>=1`, `<=1`); empty: none stated
    bounds: tuple[str, ...] = ()
    #: values that the release itself brings, where plugins may add more; None: not a list of that kind
    known: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that the release knows."""

    name: str
    source: Source
    #: allowed values as stated; None: any
    choices: tuple[str, ...] | None = None
    #: what vLLM says when it deprecates the variable; None when it does not
    deprecated: str | None = None
    #: True: upper and lower case of a value are the same
    any_case: bool = False
    #: `int` or `float` where any other text ends the program that reads it; `str` for the rest
    type: str = "str"
    #: True: an empty value counts as none, although the type is a number
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True)
class Reach:
    """What a setting (a flag or a variable) reaches in a release."""

    setting: str
    #: parts whose backend it decides; empty when nothing reads it
    parts: tuple[Part, ...]
    unread: Unread
    #: what is printed about it, with `{}` for variable text; None when nothing is
    message: str | None
    source: Source | None


@dataclass(frozen=True, slots=True)
class SelectionLine:
    """A log line that names the backend that was chosen."""

    part: Part
    chosen_by: ChosenBy
    #: `cuda`, `rocm`, `cpu`, `xpu` or `any`
    platform: str
    #: backend that it stands for (`FLASH_ATTN`), or None when the template holds `{backend}`
    backend: str | None
    #: the text as printed, `{backend}` standing for the member's name
    template: str
    source: Source


@dataclass(frozen=True, slots=True)
class Message:
    """A text that the release can raise or log."""

    #: with `{}` for variable text
    template: str
    #: exception name (`ValueError`) or `log.error`, `log.warning`, `log.info`
    kind: str
    source: Source


@dataclass(frozen=True, slots=True)
class Packages:
    """What the release installs beside itself."""

    #: requirement text by package, as declared for an NVIDIA GPU
    #: (`{"xformers": "==0.0.29; platform_machine == 'x86_64'"}`)
    requires: Mapping[str, str]


#: compute capabilities of NVIDIA GPUs that facts are computed for; what is not here is unknown
CAPABILITIES = ("7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1")
#: head sizes that facts are computed for: those of the models vLLM ships code for; what is not here is unknown
HEAD_SIZES = (32, 40, 64, 72, 80, 88, 96, 104, 112, 120, 128, 144, 160, 192, 224, 256, 320, 512, 576)


@dataclass(frozen=True, slots=True)
class TextOrder:
    """Backends that the language model tries where the limits hold, first choice first."""

    platform: str
    mla: bool
    #: empty: any
    capabilities: tuple[str, ...]
    #: empty: any
    head_sizes: tuple[int, ...]
    order: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class TowerDefault:
    """What an encoder gets where the limits hold and nothing is set."""

    platform: str
    #: empty: any
    capabilities: tuple[str, ...]
    #: empty: any
    head_sizes: tuple[int, ...]
    backend: str
    #: PyPI name of the package that this backend needs beside vLLM (`xformers`); None when it is bundled
    package: str | None
    source: Source


@dataclass(frozen=True, slots=True)
class TowerChoices:
    """Values that `--mm-encoder-attn-backend` accepts where the limits hold."""

    platform: str
    #: empty: any
    capabilities: tuple[str, ...]
    choices: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Rescue:
    """A package whose presence silently replaces a refused backend of an encoder."""

    package: str
    source: Source


@dataclass(frozen=True, slots=True)
class Prefix:
    """A part of what stands before the text of a log line."""

    #: `record` (level, date, file), `process` (name of a process), `wrapper` (round each line of a child)
    kind: str
    #: as in the source, with `{}` for variable text
    template: str
    source: Source


@dataclass(frozen=True, slots=True)
class Attention:
    """All facts of one release that concern attention, as they are stored."""

    backends: tuple[Backend, ...] = ()
    text_orders: tuple[TextOrder, ...] = ()
    towers: tuple[Tower, ...] = ()
    tower_defaults: tuple[TowerDefault, ...] = ()
    tower_choices: tuple[TowerChoices, ...] = ()
    rescues: tuple[Rescue, ...] = ()
    reaches: tuple[Reach, ...] = ()
    selection_lines: tuple[SelectionLine, ...] = ()
    prefixes: tuple[Prefix, ...] = ()
    #: requirement text by package, sorted by package
    packages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """All facts of one release, as the extractor reads them."""

    #: in PEP 440 form (`0.6.3.post1`)
    version: str
    attention: Attention
    flags: tuple[Flag, ...]
    #: keys of JSON flags that can be given one by one (`--attention-config.backend`); `x.*` accepts any key
    dotted_flags: tuple[Flag, ...]
    variables: tuple[Variable, ...]
    messages: tuple[Message, ...]
    #: what could not be read, a sentence each
    remarks: tuple[str, ...] = ()
