"""Reads a GPU's name in any common spelling: product, capability, platform. Not for a paste's facts."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import re2

DATA: Final = Path(__file__).parents[1] / "gpus.yaml"

#: compute capabilities that exist; other decimals in a text are memory sizes or CUDA releases
CAPABILITIES: Final = frozenset(
    {
        "3.5",
        "3.7",
        "5.0",
        "5.2",
        "5.3",
        "6.0",
        "6.1",
        "6.2",
        "7.0",
        "7.2",
        "7.5",
        "8.0",
        "8.6",
        "8.7",
        "8.9",
        "9.0",
    }
    | {"10.0", "10.1", "10.3", "11.0", "12.0", "12.1"}
)
_CAPABILITY: Final = re2.compile(
    r"(?i)\b(?:sm|cc|compute[ _]cap(?:ability)?|capability)[ :=_]{0,3}(?:is |of )?\(?(\d{1,2}\.\d)\b"
    r"|\b(?:sm|compute)[_\- ]?(\d{2,3})[af]?\b"
    r"|\((\d{1,2}\.\d)\)"
)
_GFX: Final = re2.compile(r"(?i)\bgfx(\d{3,4}[a-f]?)\b")
#: what makes a capability a limit rather than a fact
_LIMITS: Final = (
    "below",
    "under",
    "less than",
    "older than",
    "before",
    "<",
    "at least",
    "newer than",
    "above",
    ">",
    "not ",
)
_BRANDS: Final = ("rtx", "gtx", "rx")
_VARIANTS: Final = frozenset({"ti", "super", "xtx", "xt", "gre", "d"})
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
#: what a sentence that names a GPU holds somewhere; over bytes, for it is searched in whole pastes
HINT: Final = re2.compile(
    rb"(?i)rtx|gtx|tesla|quadro|geforce|radeon|instinct|titan|jetson|dgx|strix|gaudi|arc |\btpu|ascend|apple"
    rb"|\b(?:\d{1,3}x)?(?:[abhlpvt]\d{1,3}[a-z]{0,2}|g[bh]\d{2,3}|mi\d{2,3}[ax]?|[rw]\d{4}|rx ?\d{4})(?:x\d{1,2})?\b"
    rb"|\b\d{1,2} ?(?:[x*]|\xc3\x97) ?\d{4}\b|\b\d{4} ?(?:[x*]|\xc3\x97) ?\d{1,2}\b"
    rb"|\b\d{4} ?(?:ti|xtx?|super)\b|trainium|ryzen"
)
#: a count before a name (`8*A10`, `3 x 3090`) and behind one (`H100x8`, `A10 * 2`), which shows that it is a GPU
_COUNT_BEFORE: Final = re2.compile(r"\b(\d{1,2}) ?[x*] ?([a-z]|\d{4}\b)")
_COUNT_BEHIND: Final = re2.compile(r"\b([a-z]{1,2}\d{1,4}[a-wyz]{0,2}|\d{4}) ?[x*] ?(\d{1,2})\b")
_NOT_ASCII: Final = re2.compile(r"[^\x00-\x7f]")
_SEPARATORS: Final = str.maketrans(dict.fromkeys("-_/,;:()[]{}+*@|\"'`\\\t\n", " "))
_PLATFORM_WORDS: Final = (
    ("rocm", "rocm"),
    ("gfx", "rocm"),
    ("amd", "rocm"),
    ("radeon", "rocm"),
    ("cuda", "cuda"),
    ("nvidia", "cuda"),
    ("xpu", "xpu"),
    ("tpu", "tpu"),
    ("cpu", "cpu"),
)
#: what follows the name of one, as a count does
_GPU_WORDS: Final = frozenset({"gpu", "gpus", "card", "cards"})
_LONGEST_NAME: Final = 6
#: the longest text that is read as a name
_LONGEST_TEXT: Final = 300
#: names too short or too common to be believed within a sentence
_NEEDS_CONTEXT: Final = frozenset(
    {
        "a2",
        "l2",
        "l4",
        "p4",
        "a10",
        "a16",
        "a30",
        "a40",
        "m40",
        "m60",
        "k80",
        "p40",
        "k100",
        "b60",
        "a770",
        "910b",
        "910c",
    }
    | {
        "arc",
        "spark",
        "thor",
        "orin",
        "xavier",
        "tpu",
        "neuron",
        "dcu",
        "ascend",
        "trillium",
        "ironwood",
        "habana",
        "gaudi",
    }
    | {
        "hopper",
        "volta",
        "turing",
        "lovelace",
        "maxwell",
        "pascal",
        "ampere",
        "blackwell",
        "ada",
        "max",
        "titan",
    }
)


@dataclass(frozen=True, slots=True)
class Gpu:
    """What is known of a GPU; what its name does not say is None."""

    product: str | None = None
    #: `9.0`; None on platforms other than CUDA
    capability: str | None = None
    #: `cuda`, `rocm`, `cpu`, `xpu`, `tpu`, or the platform of a plugin
    platform: str | None = None
    #: `aarch64` where the product exists only in such hosts, else None
    architecture: str | None = None
    #: `gfx942`, AMD only
    gfx: str | None = None
    #: smallest and largest memory that the product is sold with, in GiB
    memory: tuple[int, int] | None = None


@cache
def catalogue() -> dict[tuple[str, ...], Gpu]:
    """Return the shipped products by the words of each of their names."""
    import yaml  # noqa: PLC0415 -- most pastes name no GPU, and then nothing is loaded

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(DATA.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 -- both loaders are safe ones
    table: dict[tuple[str, ...], Gpu] = {}
    for entry in data["generations"]:
        gpu = Gpu(None, entry.get("capability"), entry["platform"])
        for name in (entry["generation"], *entry.get("names", ())):
            table[tuple(words(name))] = gpu
    for entry in data["products"]:
        gpu = Gpu(
            entry["product"],
            entry.get("capability"),
            entry["platform"],
            entry.get("architecture"),
            entry.get("gfx"),
            tuple(entry["memory"]) if "memory" in entry else None,
        )
        for name in (entry["product"], *entry["names"]):
            table[tuple(words(name))] = gpu
    return table


def words(text: str) -> list[str]:
    """Return the words of a name: `RTX4090-2080ti` gives `rtx`, `4090`, `2080`, `ti`."""
    found: list[str] = []
    text = _NOT_ASCII.sub(" ", text.lower().replace("×", "x"))
    for word in text.translate(_SEPARATORS).split():
        brand = next(
            (name for name in _BRANDS if word.startswith(name) and word[len(name) :][:1].isdigit()), ""
        )
        rest = word[len(brand) :]
        number = rest.rstrip(_LETTERS)
        variant = rest[len(number) :]
        if brand:
            found.append(brand)
        if number.isdigit() and len(number) in {3, 4} and variant in _VARIANTS:
            found += [number, variant]
        else:
            found.append(rest.strip("."))
    return found


def read_gpu(text: str) -> Gpu | None:
    """Return what a name says, None when it says nothing or names different GPUs.

    Reads product names in common spellings (`H100`, `NVIDIA H100 80GB HBM3`, `8xH100`, `2080ti`), compute
    capabilities (`sm_90`, `sm90a`, `9.0`, `cc 8.6`), gfx targets, generations (`Turing`), platforms (`ROCm`).
    """
    text = text[:_LONGEST_TEXT]
    capability = read_capability(text)
    found = _products(_counted(words(text))[0])
    gfx = _GFX.search(text)
    if len({gpu.capability or gpu.gfx or gpu.platform for gpu in found}) > 1:
        return None
    if found:
        return replace(found[0], capability=capability or found[0].capability)
    if capability is not None:
        return Gpu(None, capability, "cuda")
    if gfx is not None:
        return Gpu(None, None, "rocm", None, gfx.group(0).lower())
    return next((Gpu(platform=platform) for word, platform in _PLATFORM_WORDS if word in text.lower()), None)


def find_gpu(text: str) -> Gpu | None:
    """Return the GPU named within a sentence, None when no name in it is beyond doubt."""
    text = text[: 4 * _LONGEST_TEXT].lower().replace("×", "x")
    text = _COUNT_BEHIND.sub(r"\1 x\2", _COUNT_BEFORE.sub(r"\1x\2", text))
    found, counted = _counted(words(text))
    named = [
        gpu
        for position, name, gpu in _placed(found)
        if _is_telling(name) or not counted.isdisjoint(range(position, position + len(name)))
    ]
    different = {gpu.capability or gpu.gfx or gpu.platform for gpu in named}
    return named[0] if len(different) == 1 else None


def read_capability(text: str) -> str | None:
    """Return the compute capability a text states (`sm_90a`, `cc 8.6`, `(7.5)`), None otherwise."""
    bare = text.strip()
    if bare in CAPABILITIES:
        return bare
    stated: set[str] = set()
    for found in _CAPABILITY.finditer(text):
        spelled, digits, bracketed = found.groups()
        value = spelled or bracketed or f"{digits[:-1]}.{digits[-1]}"
        before = text[max(0, found.start() - 14) : found.start()].lower()
        if value in CAPABILITIES and not any(limit in before for limit in _LIMITS):
            stated.add(value)
    return stated.pop() if len(stated) == 1 else None


def _counted(found: list[str]) -> tuple[list[str], frozenset[int]]:
    """Return the words without counts (`8xh100`, `2x`, `x4`) and the places of names beside one or before `gpus`."""
    kept: list[str] = []
    counted: set[int] = set()
    for word in found:
        count, mark, rest = word.partition("x")
        if mark and count.isdigit() and len(count) <= 3:
            counted.add(len(kept))
            if rest:
                kept.extend(words(rest))
        elif word.startswith("x") and word[1:].isdigit():
            counted.add(len(kept) - 1)
        else:
            if word in _GPU_WORDS:
                counted.add(len(kept) - 1)
            kept.append(word)
    return kept, frozenset(counted)


def _placed(found: list[str]) -> list[tuple[int, tuple[str, ...], Gpu]]:
    """Return the products named with their places, the longest name first at each place."""
    table = catalogue()
    named: list[tuple[int, tuple[str, ...], Gpu]] = []
    position = 0
    while position < len(found):
        for length in range(min(_LONGEST_NAME, len(found) - position), 0, -1):
            name = tuple(found[position : position + length])
            if name in table:
                named.append((position, name, table[name]))
                position += length - 1
                break
        position += 1
    return named


def _products(found: list[str]) -> list[Gpu]:
    """Return the products named; generations count only when no product is."""
    named = [gpu for _, _, gpu in _placed(found)]
    products = [gpu for gpu in named if gpu.product is not None]
    return products or named


def _is_telling(name: tuple[str, ...]) -> bool:
    """Tell whether a name can stand in a sentence without meaning something else."""
    if len(name) == 1:
        return name[0] not in _NEEDS_CONTEXT and not name[0].isdigit()
    return True
