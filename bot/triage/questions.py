"""From what was said in a thread to a question for the workers. Pure. Not for answering it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.locale import supported
from bot.relaunch.scope import NOTHING
from bot.triage.conversation import GPU, MODEL, RELEASE
from bot.triage.looking.outcome import Question

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.interface import Capabilities
    from bot.relaunch.scope import Scope
    from bot.store.interface import InboxEntry
    from bot.triage.conversation import Conversation

#: messages of one thread that are read together
THREAD_LIMIT: Final = 50


def question_of(
    entry: InboxEntry,
    talk: Conversation,
    files: tuple[Path, ...],
    reply_id: str,
    limits: Capabilities,
    scope: Scope = NOTHING,
) -> Question:
    """Return the question of a message with what the thread says."""
    return Question(
        texts=talk.texts,
        files=files,
        limits=limits,
        reply_id=reply_id,
        vllm_version=talk.fields.get(RELEASE),
        gpu=talk.fields.get(GPU),
        model=talk.fields.get(MODEL),
        masked=talk.masked,
        language=supported(entry.payload["language"]) if entry.payload["language"] else None,
        launch=talk.launch,
        # what was fetched once for a thread is read with it from then on
        scope=replace(scope, is_fetched=talk.is_fetched),
    )
