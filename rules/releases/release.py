"""Questions to one release: what it accepts, chooses, reads and prints. Engine and lint stand on this interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rules.releases.model import Backend, ChosenBy, Flag, Message, Part, Reach, Source, Tower, Variable


class UnknownReleaseError(Exception):
    """A release whose facts are not shipped was asked for; `vllm-diagnose releases list` shows those that are."""

    def __init__(self, version: str, shipped: Sequence[Version]) -> None:
        span = f"{shipped[0]} to {shipped[-1]}" if shipped else "none"
        super().__init__(f"no facts are shipped for vLLM {version} (shipped: {span})")
        self.version = version


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend that a release takes by itself, and what it needs that the release does not install."""

    backend: str
    #: PyPI name of a package that is missing on that platform, so that the choice fails; None when it works
    missing_package: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """The machine and model a question is about; None means unknown, so an answer that would differ is None."""

    platform: str = "cuda"
    compute_capability: str | None = None
    #: `x86_64` or `aarch64`
    architecture: str | None = None
    head_size: int | None = None
    mla: bool = False


class Release(Protocol):
    """The facts of one vLLM release."""

    def __hash__(self) -> int:
        """Return a number by identity: answers are remembered per release."""

    @property
    def version(self) -> Version:
        """Return the release."""

    def backends(self) -> Sequence[Backend]:
        """Return the members of the attention-backend enum, in the order of the source."""

    def backend(self, name: str) -> Backend | None:
        """Return one member, None when the release does not have it."""

    def text_order(self, where: Where) -> tuple[str, ...] | None:
        """Return the backends tried for the language model, first choice first; None when `where` leaves it open."""

    def text_accepts(self, backend: str, where: Where) -> bool | None:
        """Tell whether the language model can run on the backend; None when that depends on what is unknown."""

    def towers(self) -> Sequence[Tower]:
        """Return the encoders that check their backend themselves."""

    def tower(self, label: str) -> Tower | None:
        """Return the encoder that prints this label, None when the release has none."""

    def tower_default(self, where: Where) -> Choice | None:
        """Return what an encoder gets when nothing is set; None when `where` leaves it open or nothing is known."""

    def tower_choices(self, where: Where) -> tuple[str, ...] | None:
        """Return the values that `--mm-encoder-attn-backend` accepts; None when the flag does not exist."""

    def tower_rescued_by(self) -> str | None:
        """Return the package whose presence silently replaces a refused backend of an encoder; None when none does."""

    def text_order_place(self) -> Source | None:
        """Return where the order of backends for the language model stands; None where none is known."""

    def tower_choices_place(self, where: Where) -> Source | None:
        """Return where the platform lists what a user may choose for encoders; None without such a list."""

    def tower_default_place(self, where: Where) -> Source | None:
        """Return where it is decided what an encoder gets; None where none is known."""

    def flags(self) -> Sequence[Flag]:
        """Return the flags of `vllm serve`, sorted by name."""

    def dotted_flags(self) -> Sequence[Flag]:
        """Return the keys that JSON flags take one by one, sorted by name; `x.*` takes any key."""

    def flag(self, name: str) -> Flag | None:
        """Return a flag by name or alias (`--tensor-parallel-size`, `-tp`), None when it does not exist."""

    def variables(self) -> Sequence[Variable]:
        """Return the environment variables, sorted by name."""

    def variable(self, name: str) -> Variable | None:
        """Return a variable, None when the release does not know it."""

    def reach(self, setting: str) -> Reach:
        """Return what a flag or variable reaches; a setting that is unknown reaches nothing."""

    def selection_line(
        self, part: Part, backend: str, chosen_by: ChosenBy, platform: str = "cuda"
    ) -> str | None:
        """Return the stable text that is logged for that choice; None when the release prints nothing."""

    def messages(self) -> Iterator[Message]:
        """Yield every text that can be raised or logged (loaded on first use: it is large)."""

    def requirement(self, package: str) -> str | None:
        """Return the requirement text of a package that the release installs on NVIDIA GPUs, None when it does not."""


class Releases(Protocol):
    """All shipped releases."""

    def versions(self) -> tuple[Version, ...]:
        """Return the shipped releases in ascending order."""

    def get(self, version: Version | str) -> Release:
        """Return one release. Raises `UnknownReleaseError` when it is not shipped."""
