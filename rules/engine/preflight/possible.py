"""The releases that a launch may meet: as given, as its image says, or any. Not for what they take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.engine.launch_files.images import image_release
from rules.engine.preflight.findings import Remark, RemarkKind
from rules.engine.preflight.shown import shown
from rules.engine.versions import is_specifier, parse_version, select, stand_ins

if TYPE_CHECKING:
    from packaging.version import Version

    from rules.engine.preflight.answering import Answers
    from rules.engine.preflight.reading.launch import Launch
    from rules.engine.preflight.setting import Known


@dataclass(frozen=True, slots=True)
class Possible:
    """The shipped releases that speak for the one that will run."""

    #: ascending
    versions: tuple[Version, ...]
    #: the release as it was named, where one was
    one: str | None = None
    #: False where nothing at all is known of the release
    is_told: bool = False
    remarks: tuple[Remark, ...] = ()


def possible(launch: Launch, known: Known, answers: Answers, language: str) -> Possible:
    """Return the releases to check; what an image says of itself wins over what was given."""
    shipped = answers.releases.versions()
    words = answers.words(language)
    given, told = known.vllm_version, image_release(launch.image) if launch.image else None
    notes: list[Remark] = []
    if given and told and parse_version(given) != parse_version(told):
        values = {"image": told, "given": shown("", given)}
        notes.append(Remark(RemarkKind.CONTRADICTION, words.say("preflight.note.image-release", values)))
    text = told or given
    version = parse_version(text or "")
    if version is not None:
        found = stand_ins(version, shipped)
        if not found:
            values = {"release": str(version), "first": str(shipped[0]), "last": str(shipped[-1])}
            notes.append(Remark(RemarkKind.OUTSIDE_FACTS, words.say("preflight.note.outside-facts", values)))
        return Possible(found, str(version), is_told=True, remarks=tuple(notes))
    series = select(_series(text), shipped) if text and _series(text) else ()
    if series:
        one = str(series[0]) if len(series) == 1 else None
        return Possible(series, one, is_told=True, remarks=tuple(notes))
    if text:
        values = {"given": shown("", text)}
        notes.append(Remark(RemarkKind.DROPPED_INPUT, words.say("preflight.note.release-unreadable", values)))
    notes.append(Remark(RemarkKind.NOT_CHECKED, words.say("preflight.note.release-unknown")))
    return Possible(shipped, remarks=tuple(notes))


def speaking_for(text: str, shipped: tuple[Version, ...]) -> tuple[Version, ...]:
    """Return the shipped releases that a text names, one or a range; empty where none can speak for it."""
    version = parse_version(text)
    if version is not None:
        return tuple(stand_ins(version, shipped))
    series = _series(text)
    return tuple(select(series, shipped)) if series else ()


def _series(text: str | None) -> str | None:
    """Return a range that a text means (`0.11.*`, `>=0.11,<0.13`), None when it means none."""
    plain = (text or "").strip().removeprefix("v")
    if plain.endswith((".x", ".*")):
        plain = f"=={plain[:-2]}.*"
    return plain if len(plain) < 100 and is_specifier(plain) else None
