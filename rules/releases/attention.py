"""Answers about attention in one release, from its stored facts alone. Not for reading them from source.

An answer is None where it depends on something that the question leaves open, or that only a running
machine knows.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from rules.releases.machine_markers import marker_holds
from rules.releases.model import (
    CAPABILITIES,
    HEAD_SIZES,
    Attention,
    Backend,
    ChosenBy,
    Part,
    Reach,
    SelectionLine,
    TextOrder,
    Tower,
    TowerDefault,
    Unread,
)
from rules.releases.release import Choice, Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = TypeVar("Row", TextOrder, TowerDefault)

#: beginnings of the names that belong to one platform
_PLATFORM_NAMES = {
    "ROCM": "rocm",
    "CPU": "cpu",
    "AMX": "cpu",
    "XPU": "xpu",
    "IPEX": "xpu",
    "PALLAS": "tpu",
    "HPU": "hpu",
    "OPENVINO": "openvino",
    "NO": "none",
}
#: suffix of names that two engines once told apart
_SUFFIX = "_VLLM_V1"
#: stand for settings that a release does not know
_ANY_VARIABLE, _ANY_FLAG = "VLLM_*", "--*"
#: flag whose values the enum alone bounds where no platform has a list
_TOWER_FLAG = "--mm-encoder-attn-backend"
#: shortest text that still tells one log line from another
_SHORTEST_LINE = 12


class TextAnswers:
    """Which backends the language model has, tries and accepts."""

    _attention: Attention

    def backends(self) -> Sequence[Backend]:
        """Return the members of the attention-backend enum, in the order of the source."""
        return self._attention.backends

    def backend(self, name: str) -> Backend | None:
        """Return one member, None when the release does not have it."""
        return next((one for one in self._attention.backends if one.name == name), None)

    def text_order(self, where: Where) -> tuple[str, ...] | None:
        """Return the backends tried for the language model, first choice first.

        None when `where` leaves it open.
        """
        rows = [row for row in self._attention.text_orders if row.mla is where.mla]
        found = {row.order for row in _matching(rows, where)}
        return found.pop() if len(found) == 1 else None

    def text_accepts(self, backend: str, where: Where) -> bool | None:
        """Tell whether the language model can run on the backend; None when that depends on what is unknown.

        A package that the backend needs is not looked at: see `Backend.package`.
        """
        found = self.backend(backend)
        if found is None or not found.registered or not belongs(found, where.platform):
            return False
        if found.mla is not where.mla:
            return False
        fits = _fits(found, where)
        is_one_case = where.compute_capability is not None and where.head_size is not None
        if fits is None and is_one_case and backend in (self.text_order(where) or ()):
            return True
        return fits


class TowerAnswers:
    """What encoders get and accept."""

    _attention: Attention

    def towers(self) -> Sequence[Tower]:
        """Return the encoders that check their backend themselves."""
        return self._attention.towers

    def tower(self, label: str) -> Tower | None:
        """Return the encoder that prints this label, None when the release has none."""
        return next((one for one in self._attention.towers if one.label == label), None)

    def tower_default(self, where: Where) -> Choice | None:
        """Return what an encoder gets when nothing is set.

        None when `where` leaves it open or nothing is known.
        """
        found = {(row.backend, row.package) for row in _matching(self._attention.tower_defaults, where)}
        if len(found) != 1:
            return None
        backend, package = found.pop()
        if package is None:
            return Choice(backend)
        installed = self._installs(package, where.architecture)
        return None if installed is None else Choice(backend, None if installed else package)

    def tower_choices(self, where: Where) -> tuple[str, ...] | None:
        """Return the values that `--mm-encoder-attn-backend` accepts; None when the flag does not exist.

        In releases whose platforms keep no list, the flag takes every member, and the encoder alone may
        refuse it.
        """
        if not any(reach.setting == _TOWER_FLAG for reach in self._attention.reaches):
            return None
        rows = [row for row in self._attention.tower_choices if row.platform == where.platform]
        if where.compute_capability is not None:
            rows = [
                row for row in rows if not row.capabilities or where.compute_capability in row.capabilities
            ]
        if not rows:
            return (
                tuple(backend.name for backend in self._attention.backends)
                if not self._attention.tower_choices
                else None
            )
        # capabilities differ in the order of preference, never in what is accepted
        return rows[-1].choices

    def tower_rescued_by(self) -> str | None:
        """Return the package whose presence silently replaces a refused backend of an encoder.

        None when none does.
        """
        return next((rescue.package for rescue in self._attention.rescues), None)

    def _installs(self, package: str, architecture: str | None) -> bool | None:
        """Tell whether the release brings a package to NVIDIA GPUs under Linux.

        None when the architecture decides.
        """
        text = dict(self._attention.packages).get(_package_name(package))
        if text is None:
            return False
        _, condition, marker = text.partition(";")
        if not condition:
            return True
        machines = ("x86_64", "aarch64") if architecture is None else (architecture,)
        answers = {marker_holds(marker, machine) for machine in machines}
        return answers.pop() if len(answers) == 1 else None


class SettingAnswers:
    """What settings reach, what is logged about a choice, what is installed."""

    _attention: Attention

    def reach(self, setting: str) -> Reach:
        """Return what a flag or variable reaches; a setting that is unknown reaches nothing."""
        wanted = setting.replace("_", "-") if setting.startswith("--") and "." not in setting else setting
        found = {reach.setting: reach for reach in self._attention.reaches}
        if wanted in found:
            return found[wanted]
        stands_for = _ANY_FLAG if setting.startswith("-") else _ANY_VARIABLE
        general = found.get(stands_for)
        if general is None or not setting.startswith(("-", "VLLM_")):
            return Reach(setting, (), Unread.SILENT, None, None)
        message = None if general.message is None else general.message.replace("{}", setting, 1)
        return replace(general, setting=setting, message=message)

    def selection_line(
        self, part: Part, backend: str, chosen_by: ChosenBy, platform: str = "cuda"
    ) -> str | None:
        """Return the stable text that is logged for that choice; None when the release prints nothing."""
        if all(one.name != backend for one in self._attention.backends):
            return None
        lines = [
            one for one in self._attention.selection_lines if one.part is part and one.chosen_by is chosen_by
        ]
        # what every encoder layer logs is there on each platform, and for each way of choosing
        general = [one for one in lines if one.platform == "any"]
        chosen = general or [one for one in lines if one.platform == platform]
        texts = {
            _stable(one, backend)
            for one in chosen
            if one.backend in {None, backend, backend.removesuffix(_SUFFIX)}
        }
        if not texts:
            return None
        shared = _shared_beginning(texts)
        return shared if len(texts) == 1 or len(shared) >= _SHORTEST_LINE else None

    def requirement(self, package: str) -> str | None:
        """Return the requirement of a package that comes along on NVIDIA GPUs, None when it does not."""
        return dict(self._attention.packages).get(_package_name(package))


def _matching(rows: Iterable[Row], where: Where) -> list[Row]:
    """Return the rows that a question may be about.

    None when it names something that facts were not computed for.
    """
    if where.compute_capability not in {None, *CAPABILITIES} or where.head_size not in {None, *HEAD_SIZES}:
        return []
    found = [row for row in rows if row.platform == where.platform]
    if where.compute_capability is not None:
        found = [row for row in found if not row.capabilities or where.compute_capability in row.capabilities]
    if where.head_size is not None:
        found = [row for row in found if not row.head_sizes or where.head_size in row.head_sizes]
    return found


def belongs(backend: Backend, platform: str) -> bool:
    """Tell whether a name can be meant on a platform: those of other platforms have no code there."""
    if backend.platforms is not None and platform not in backend.platforms:
        return False
    owner = _PLATFORM_NAMES.get(backend.name.partition("_")[0])
    return owner is None or owner == platform


def _fits(backend: Backend, where: Where) -> bool | None:
    answers = [
        _within(backend, "capabilities", backend.capabilities, where.compute_capability, CAPABILITIES),
        _within(backend, "head_sizes", backend.head_sizes, where.head_size, HEAD_SIZES),
        _within(backend, "kv_cache_dtypes", backend.kv_cache_dtypes, "auto", ("auto",)),
        _within(backend, "attention_types", backend.attention_types, "decoder", ("decoder",)),
    ]
    if where.platform != "cuda":
        # compute capabilities are NVIDIA's; what other platforms accept is not computed
        answers[0] = None
    if False in answers:
        return False
    return None if None in answers or backend.sparse or "combination" in backend.at_run_time else True


def _within(
    backend: Backend, limit: str, accepted: Sequence[object] | None, value: object, computed: Sequence[object]
) -> bool | None:
    """Tell whether a limit accepts a value.

    An unknown value is accepted only by a limit that accepts them all.
    """
    if accepted is None:
        return None
    if value is None:
        return True if set(computed) <= set(accepted) else None
    if value not in computed:
        return None
    if value in accepted:
        return True
    return None if limit in backend.at_run_time else False


def _stable(line: SelectionLine, backend: str) -> str:
    """Return what a line prints each time: up to its first variable part."""
    return line.template.replace("{backend}", backend.removesuffix(_SUFFIX)).partition("{}")[0].rstrip()


def _shared_beginning(texts: Iterable[str]) -> str:
    """Return what all texts begin with. The first and the last in order differ the most."""
    ordered = sorted(texts)
    first, last = ordered[0], ordered[-1]
    length = next(
        (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first)
    )
    return first[:length].rstrip()


def _package_name(name: str) -> str:
    """Return the name of a package in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
