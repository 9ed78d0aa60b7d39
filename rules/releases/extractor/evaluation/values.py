"""What an expression of vLLM's code can stand for while it is evaluated. Not for evaluating."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Mapping

    from rules.releases.extractor.tree import Module

#: anything that evaluation can yield: plain Python values and the records below
Value = Any


class CannotEvaluateError(Exception):
    """The code does something that the evaluator does not follow; the answer is then unknown, not wrong."""


class ThrownError(Exception):
    """An exception that vLLM's code would raise."""

    def __init__(self, name: str, message: str, line: int) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that only a running vLLM knows; `why` is the source text it stands for."""

    why: str


@dataclass(frozen=True, slots=True)
class External:
    """Something outside vLLM, by its dotted name (`torch.float16`, `os.getenv`)."""

    dotted: str


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of vLLM."""

    module: Module = field(compare=False)
    dotted: str = ""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of vLLM; equal by where it is defined."""

    file: str
    name: str
    module: Module = field(compare=False, repr=False)
    node: ast.ClassDef = field(compare=False, repr=False)

    @property
    def path(self) -> str:
        """Return the dotted path that an enum member or a selector names it by."""
        return f"{self.module.dotted}.{self.name}"


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enum, by name; its value may be unknown (`enum.auto()`)."""

    enum: ClassValue
    name: str
    value: Value = field(compare=False, default=None)

    def __str__(self) -> str:
        return f"{self.enum.name}.{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class FunctionValue:
    """A function or lambda, with the class it was found in and the object it is bound to."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    owner: ClassValue | None = None
    bound: Value = None
    #: variables of the enclosing function
    closure: Mapping[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a vLLM class: named tuples, dataclasses and small helpers."""

    cls: ClassValue
    fields: dict[str, Value] = field(default_factory=dict)

    def as_tuple(self) -> tuple[Value, ...]:
        """Return the fields in order, which is what a named tuple compares and unpacks by."""
        return tuple(self.fields.values())


@dataclass(slots=True, eq=False)
class Bag:
    """An object of which only some attributes are known (a configuration); all others are unknown."""

    name: str
    fields: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Native:
    """A method of a plain Python value (`[].append`), or a builtin."""

    name: str
    target: Value = None


@dataclass(frozen=True, slots=True)
class Parent:
    """What `super()` stands for: the classes behind `owner`, for the object at hand."""

    owner: ClassValue
    bound: Value


@dataclass(frozen=True, slots=True)
class Literals:
    """`Literal["auto", "fp8"]`, possibly behind a name."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Logged:
    """A log record that the code would write."""

    level: str
    template: str
    values: tuple[Value, ...]
    file: str
    line: int

    @property
    def text(self) -> str:
        """Return the record as printed; what is unknown is `{}`."""
        parts = self.template.split("%")
        return self.template if len(parts) == 1 or not self.values else fill(self.template, self.values)


def show(value: Value) -> str:
    """Return a value as vLLM prints it, `{}` where that is unknown."""
    if isinstance(value, Unknown | FunctionValue | Instance | Native | Bag):
        return "{}"
    if isinstance(value, External):
        return value.dotted
    if isinstance(value, ClassValue):
        return value.name
    if isinstance(value, list | tuple | set | dict):
        return _show_many(value)
    return str(value)


def _show_many(value: Iterable[Value]) -> str:
    inner = [repr(item) if isinstance(item, str) else show(item) for item in value]
    opening, closing = "[]" if isinstance(value, list) else "()" if isinstance(value, tuple) else "{}"
    return opening + ", ".join(inner) + closing


def fill(template: str, values: tuple[Value, ...]) -> str:
    """Return a %-template of a log call with its values in place."""
    filled, rest = "", list(values)
    position = 0
    while position < len(template):
        character = template[position]
        if character == "%" and position + 1 < len(template):
            position += 2
            if template[position - 1] == "%":
                filled += "%"
                continue
            while not template[position - 1].isalpha() and position < len(template):
                position += 1
            filled += show(rest.pop(0)) if rest else "{}"
            continue
        filled += character
        position += 1
    return filled
