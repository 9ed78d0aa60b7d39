"""Reads one value that a person typed as the registry's file would be read. Not for whole entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from bot.hosts.reading import words_of

if TYPE_CHECKING:
    from pydantic import BaseModel


def read_typed(model: type[BaseModel], key: str, value: object) -> Any:  # noqa: ANN401 (as the key's type is)
    """Return the value of a key. Raises `ValueError`, which says what it must be: `must be a whole number`."""
    info = model.model_fields[key]
    annotated: Any = info.rebuild_annotation()
    kind: TypeAdapter[Any] = TypeAdapter(annotated)
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        raise ValueError(words_of(error.errors()[0])) from error
