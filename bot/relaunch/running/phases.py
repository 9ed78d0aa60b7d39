"""What vLLM logs while it starts, release by release, and how far each line means it has come. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import re2


class Phase(StrEnum):
    """What a starting server is busy with."""

    #: imports and the command line
    BEGINNING = "beginning"
    #: the engine's own process
    ENGINE = "engine"
    DOWNLOAD = "download"
    WEIGHTS = "weights"
    COMPILE = "compile"
    KV_CACHE = "kv-cache"
    GRAPHS = "graphs"
    #: the API is being opened
    SERVING = "serving"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Sign:
    """A text that shows a phase."""

    phase: Phase
    #: of a line without colours
    pattern: str
    #: percent that it stands for
    percent: float
    #: percent at its end, for bars; the groups `done` and `whole` tell how far it is
    until: float | None = None


#: texts of releases from 0.6 on; where releases differ in their order, the percentages are of the newer one
SIGNS: Final = (
    Sign(Phase.BEGINNING, r"vLLM API server version ", 2),
    Sign(Phase.BEGINNING, r"\bversion \d+\.\d+\.\d+\S*\s*$", 2),
    Sign(Phase.BEGINNING, r"non-default args: ", 3),
    Sign(Phase.BEGINNING, r"Resolved architecture: ", 5),
    Sign(Phase.BEGINNING, r"Using max model len ", 6),
    Sign(Phase.ENGINE, r"Initializing an? (?:V\d+ )?LLM engine ", 8),
    Sign(Phase.ENGINE, r"world_size=\d+ rank=\d+ ", 9),
    Sign(Phase.WEIGHTS, r"Starting to load model ", 10),
    Sign(Phase.WEIGHTS, r"Loading model from scratch", 10),
    Sign(Phase.DOWNLOAD, r"Time spent downloading weights ", 12),
    Sign(Phase.DOWNLOAD, r"Using model weights format ", 11),
    Sign(
        Phase.WEIGHTS,
        r"Loading .{0,40}checkpoint shards: +\d+% Completed \| (?P<done>\d+)/(?P<whole>\d+) ",
        12,
        60,
    ),
    Sign(Phase.WEIGHTS, r"Loading (?:model )?weights took ", 61),
    Sign(Phase.WEIGHTS, r"Model loading took ", 62),
    Sign(Phase.COMPILE, r"Using cache directory: .{0,200} for vLLM's torch\.compile", 63),
    Sign(Phase.COMPILE, r"Starting torch\.compile", 64),
    Sign(Phase.COMPILE, r"Dynamo bytecode transform time: ", 65),
    Sign(Phase.COMPILE, r"Compiling a graph for ", 68),
    Sign(Phase.COMPILE, r"Directly load the compiled graph", 68),
    Sign(Phase.COMPILE, r"Warming up model for the compilation", 64),
    Sign(Phase.COMPILE, r"torch\.compile (?:takes|took|and initial profiling) ", 70),
    Sign(Phase.COMPILE, r"Initial profiling/warmup run took ", 72),
    Sign(Phase.COMPILE, r"Warming up done", 74),
    Sign(Phase.KV_CACHE, r"Available KV cache memory: ", 75),
    Sign(Phase.KV_CACHE, r"(?:GPU|CPU) KV cache size: ", 76),
    Sign(Phase.KV_CACHE, r"# (?:GPU|\w+) blocks: \d+, # CPU blocks: \d+", 76),
    Sign(Phase.KV_CACHE, r"JIT kernel warmup (?:starting|finished)", 76.5),
    Sign(Phase.GRAPHS, r"Capturing (?:the model for )?CUDA graphs?\. ", 77),
    Sign(
        Phase.GRAPHS,
        r"Capturing (?:CUDA|HPU|NPU|\w+) ?graphs?[^:]{0,80}: +\d+%\|[^|]{0,200}\| (?P<done>\d+)/(?P<whole>\d+) ",
        77,
        94,
    ),
    Sign(Phase.GRAPHS, r"Graph capturing finished in ", 95),
    Sign(Phase.SERVING, r"init engine \(profile, create kv cache, warmup model\) took ", 96),
    Sign(Phase.SERVING, r"Starting vLLM (?:API )?server (?:\d+ )?on ", 97),
    Sign(Phase.SERVING, r"Available routes are:", 98),
    Sign(Phase.SERVING, r"Started server process ", 98),
    Sign(Phase.SERVING, r"Waiting for application startup", 99),
    Sign(Phase.READY, r"Application startup complete", 100),
)

PATTERNS: Final = tuple(re2.compile(sign.pattern) for sign in SIGNS)


def _any_of() -> re2.Set:
    """Return all patterns as one, so that the many lines that mean nothing cost one look."""
    found = re2.Set.SearchSet()
    for sign in SIGNS:
        found.Add(sign.pattern)
    found.Compile()
    return found


ANY: Final = _any_of()
