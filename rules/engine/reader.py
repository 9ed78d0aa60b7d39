"""The reading of a paste as the pipeline asks for it, put together from `paste`. Not for how it is read."""

import re

from rules.engine.paste.evidence import Evidence, EvidenceLine, Note, NoteDraft
from rules.engine.paste.fact_reading import read_facts
from rules.engine.paste.facts import Given
from rules.engine.paste.failure_texts import HARD_LEVELS
from rules.engine.paste.frames import last_frame_of_vllm
from rules.engine.paste.nature import Nature, read_nature
from rules.engine.paste.reading import read_paste, read_window
from rules.engine.paste.rootcause import CauseReading, Kind, find_root_cause
from rules.engine.paste.told.hints import is_begun, is_hinted
from rules.engine.paste.told.talk import is_talk
from rules.engine.paste.tracebacks import Raised
from rules.engine.seams import FactsFound, Failure
from rules.engine.wording import remark

#: how source lines of a traceback begin when they stand without it
_SOURCE = ('File "', "raise ", "return ", "await ", "self.")
#: what ends a message: another traceback, or the frames of one
_BLOCK_STARTS = ("Traceback (most", 'File "', "During handling of", "The above exception was")
_LONGEST_MESSAGE = 40
#: words that make the beginning of a sentence, more than the mark of a title
_SENTENCE = 4
#: lines of a text that a person wrote
_MOST_TALK = 400


class PasteReader:
    """Reads pastes. It keeps nothing of them."""

    def clean(self, text: str, *, unwrap: bool) -> Evidence:
        """Return the cleaned, masked lines; without `unwrap` broken lines are not joined."""
        return read_paste(text) if unwrap else read_window([text], 1)

    def failure(self, evidence: Evidence) -> Failure:
        """Return the structure of the failure."""
        reading = find_root_cause(evidence.lines)
        root = reading.root
        told = frozenset(_message(root)) | _echoed(reading, {_essence(root)}) if root else frozenset()
        nature = read_nature(evidence.lines, reading)
        code = _code(evidence, reading) - reading.source
        wrappers = _wrappers(reading)
        return Failure(
            root=root.index if root else None,
            text=root.text if root else None,
            name=root.name if root else "",
            message=root.detail or root.message if root else "",
            told=told,
            chain=(_chain(reading) | _rest_of_message(evidence, reading)) - told,
            wrappers=wrappers,
            frame=last_frame_of_vllm(evidence.lines, root.index if root else None),
            nearest=next(iter(wrappers), None) if nature.started else None,
            code=code | reading.source | _talk(evidence, reading),
            cut=nature.message_cut,
            unsettled=reading.restarted or _is_quoted(evidence, reading),
            hidden=_is_hidden(evidence, nature, reading, code),
            hinted=is_hinted(evidence.lines, nature),
            begun=is_begun(evidence.lines, nature),
            vllm=nature.vllm,
            foreign=nature.other_program,
            foreign_by_shared_text=nature.other_by_shared_text,
        )

    def facts(self, evidence: Evidence, given: Given, language: str) -> FactsFound:
        """Return what is known; the paste wins over what was given."""
        facts, drafts = read_facts(evidence, given)
        return FactsFound(facts, tuple(note_of(draft, language) for draft in drafts))


def note_of(draft: NoteDraft, language: str) -> Note:
    """Return a remark of the reading in the language of the answer."""
    return Note(draft.kind, remark(f"facts.{draft.phrase}", language, **draft.values))


def _message(raised: Raised) -> range:
    """Return the lines of an exception's message, as far as they decide."""
    return range(raised.index, (raised.detail_index or raised.index) + 1)


def _essence(raised: Raised) -> str:
    """Return what is equal in the message of each of N workers: the text without numbers."""
    return re.sub(r"\d+", "", raised.text)


def _echoed(reading: CauseReading, texts: set[str]) -> frozenset[int]:
    same = (entry.raised for entry in reading.judged if _essence(entry.raised) in texts)
    return frozenset(index for raised in same for index in _message(raised))


def _chain(reading: CauseReading) -> frozenset[int]:
    """Return the lines of the exceptions in one traceback with the root cause, and of their copies."""
    causes = [entry.raised for entry in reading.judged if entry.kind in (Kind.CAUSE, Kind.REQUEST)]
    if any(entry.kind is Kind.RECORD and entry.raised == reading.root for entry in reading.judged):
        # no exception tells what failed: each record of an error may
        return frozenset(entry.raised.index for entry in reading.judged if entry.kind is Kind.RECORD)
    texts = {
        _essence(raised)
        for block in reading.tracebacks
        if reading.root in block.raised
        for raised in block.raised
        if raised in causes
    }
    return _echoed(reading, texts)


def _rest_of_message(evidence: Evidence, reading: CauseReading) -> frozenset[int]:
    """Return the lines in which the root cause's message goes on, such as what a compiler printed."""
    root = reading.root
    if root is None:
        return frozenset()
    first_lines = {entry.raised.index for entry in reading.judged}
    rest: set[int] = set()
    for index in range(root.index + 1, min(len(evidence.lines), root.index + 1 + _LONGEST_MESSAGE)):
        line = evidence.lines[index]
        printed_as_root = (line.process, line.level, line.origin) == (root.process, root.level, root.origin)
        if not printed_as_root or index in first_lines or line.text.lstrip().startswith(_BLOCK_STARTS):
            break
        rest.add(index)
    return frozenset(rest)


def _wrappers(reading: CauseReading) -> tuple[int, ...]:
    """Return the wrappers, without those that a clean end left behind."""
    harmless = {entry.raised.index for entry in reading.judged if entry.kind is Kind.HARMLESS}
    return tuple(raised.index for raised in reading.wrappers if raised.index not in harmless)


def _code(evidence: Evidence, reading: CauseReading) -> frozenset[int]:
    """Return the lines of frames and source, and the exceptions that a clean end left behind."""
    harmless = {
        index for entry in reading.judged if entry.kind is Kind.HARMLESS for index in _message(entry.raised)
    }
    inside = {index for block in reading.tracebacks for index in range(block.first, block.last + 1)}
    said = _said(evidence, reading) - harmless
    quoted = {
        index
        for index, line in enumerate(evidence.lines)
        if index not in said
        and (line.text.lstrip().startswith(_SOURCE) or (index in inside and line.text[:1].isspace()))
    }
    return frozenset(quoted | harmless)


def _talk(evidence: Evidence, reading: CauseReading) -> frozenset[int]:
    """Return the lines that only talk of a message; long logs of programs hold none that matter."""
    if len(evidence.lines) > _MOST_TALK:
        return frozenset()
    said = _said(evidence, reading)
    return frozenset(
        index for index, line in enumerate(evidence.lines) if index not in said and is_talk(line)
    )


def _said(evidence: Evidence, reading: CauseReading) -> set[int]:
    """Return the lines of all exceptions' messages, which may go on for many lines."""
    first_lines = {entry.raised.index for entry in reading.judged}
    said: set[int] = set()
    for entry in reading.judged:
        said.update(_message(entry.raised))
        start = entry.raised.index + 1
        for index in range(start, min(len(evidence.lines), start + _LONGEST_MESSAGE)):
            line = evidence.lines[index]
            other = index in first_lines or line.process != entry.raised.process
            if other or line.text.lstrip().startswith(_BLOCK_STARTS):
                break
            said.add(index)
    return said


def _is_quoted(evidence: Evidence, reading: CauseReading) -> bool:
    """Tell whether a person's sentence leads up to the root cause, so that it may only be talked of."""
    if reading.root is None:
        return False
    line = evidence.lines[reading.root.index]
    printed = line.vllm_record or line.level is not None or line.process is not None
    before = line.text.partition(reading.root.name)[0] if reading.root.name else ""
    words = [word for word in before.split() if word.strip("\"'`.,:;()").isalpha() and not word.isupper()]
    return not printed and before != line.text and len(words) >= _SENTENCE


def _is_hidden(evidence: Evidence, nature: Nature, reading: CauseReading, code: frozenset[int]) -> bool:
    """Tell whether something failed although no line says what."""
    if reading.root is not None:
        return False
    told = {
        index for block in reading.tracebacks if block.raised for index in range(block.first, block.last + 1)
    }
    loose = any(_is_loose_source(line) for line in evidence.lines) and not nature.started
    return nature.cut or bool(code - told) or loose or (nature.failed and not nature.started)


def _is_loose_source(line: EvidenceLine) -> bool:
    """Tell whether a process of vLLM printed a source line, as tracebacks do, where no traceback is left."""
    text = line.text
    source = text.startswith("    ") and text.isascii() and any(mark in text for mark in "(=.[")
    return source and line.vllm_record and (line.level is None or line.level in HARD_LEVELS)
