"""Puts what a `--config` file says among the words of a launch, as vLLM does. Reads no file itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.engine.preflight.reading.launch import Launch

_MOST_LETTERS = 200_000


def named_config(launch: Launch) -> str | None:
    """Return the file that `--config` names; None without one. Like vLLM's parser it wants two words."""
    words = launch.words
    for place, word in enumerate(words[:-1]):
        if word == "--config":
            return words[place + 1]
    return None


def with_config_file(launch: Launch, texts: Mapping[str, str]) -> Launch:
    """Return the launch with the words of its file before its own, which win; as it is without the text."""
    name = named_config(launch)
    data = _read(texts.get(name or "", ""))
    if name is None or data is None:
        return launch
    words = list(launch.words)
    place = words.index("--config")
    own = [*words[:place], *words[place + 2 :]]
    has_model = bool(own) and not own[0].startswith("-") and launch.is_serve
    model = own[:1] if has_model else []
    said = list(_words(data, with_model=not has_model))
    return replace(launch, words=(*model, *said, *own[len(model) :]))


def _read(text: str) -> Mapping[object, object] | None:
    if not text or len(text) > _MOST_LETTERS:
        return None
    import yaml  # noqa: PLC0415 - most launches name no file

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return data if isinstance(data, dict) else None


def _words(data: Mapping[object, object], *, with_model: bool) -> Iterator[str]:
    for key, value in data.items():
        if str(key) in {"model", "model_tag"}:
            if with_model and value is not None:
                yield from ("--model", str(value))
        elif isinstance(value, bool):
            if value:
                yield f"--{key}"
        elif isinstance(value, list):
            if value:
                yield f"--{key}"
                yield from (str(one) for one in value)
        elif isinstance(value, dict):
            try:
                yield from (f"--{key}", json.dumps(value))
            except (TypeError, ValueError):
                continue
        elif value is not None:
            yield from (f"--{key}", str(value))
