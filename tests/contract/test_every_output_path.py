"""From a hostile paste to each thing that is shown: no ping, no broken fence, no limit exceeded, no secret."""

import io
import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat.console.platform import CAPABILITIES as CONSOLE
from adapters.chat.discord.drawing.render import CAPABILITIES as DISCORD
from adapters.chat.discord.drawing.render import render as draw_discord
from adapters.chat.discord.ids import OwnMark
from adapters.chat.errors import FileGoneError, FileTooLargeError, NotAllowedError
from adapters.chat.interface import Code, card_to_json
from adapters.chat.slack.render import CAPABILITIES as SLACK
from adapters.chat.slack.render import render as draw_slack
from bot.cli.answer.human import print_report
from bot.cli.answer.page import Page
from bot.triage.contract import report_to_json
from bot.triage.looking.look import look
from bot.triage.looking.outcome import Question
from bot.triage.looking.shipped import ShippedEngine, shipped_engine
from bot.triage.showing.document import document_of
from bot.triage.showing.trouble import trouble_card
from rules.engine.paste.facts import Given
from tests.contract.hostile import SECRETS, Paste, hostile
from tests.fakes.discord.limits import check_message
from tests.fakes.discord.mentions import pings
from tests.fakes.slack.escaping import pinged_by_blocks, pinged_by_text
from tests.fakes.slack.limits import check_blocks, check_update_text

MARK = OwnMark.of("reply-1", "12345678901234567890")
PAGES = "https://triage.example"
#: everything that Discord's clients take for a call or a reference
_CALL = re.compile(r"@everyone|@here|<@[!&]?\d+>|<#\d+>|</[^>]+:\d+>|<a?:\w+:\d+>|<t:\d+", re.IGNORECASE)
_DISCORD_FENCE = re.compile(r"^```(?:sh)?$", re.MULTILINE)
_OPENING = re.compile(r"(`{3,})(?:sh|text)$")
#: what steers a terminal, and what turns the direction of text round
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

pastes = st.randoms(use_true_random=False).map(hostile)
many = settings(max_examples=60)


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return shipped_engine()


def answered(engine, paste: Paste, limits):
    """What the bot says about a paste; the form's fields and the names come in masked, as the inbox keeps them."""
    kept = {name: engine.mask(value)[0] for name, value in paste.fields.items()}
    question = Question(
        texts=(paste.text,),
        files=(),
        limits=limits,
        reply_id="reply-1",
        vllm_version=kept.get("release"),
        gpu=kept.get("gpu"),
        model=kept.get("model"),
        language={"zh-CN": "zh"}.get(paste.language or "", paste.language),
    )
    return look(engine, question).card


def assert_keeps_secrets(*shown: str) -> None:
    for text in shown:
        assert not [secret for secret in SECRETS if secret in text]


def fences_of(document: str) -> list[str]:
    """The blocks of code of a Markdown text, as a reader of Markdown finds them."""
    blocks, fence, inner = [], "", []
    for line in document.split("\n"):
        if fence and line == fence:
            blocks.append("\n".join(inner))
            fence, inner = "", []
        elif fence:
            inner.append(line)
        elif opening := _OPENING.match(line):
            fence = opening[1]
    assert not fence, "a block of code is open at the end"
    return blocks


@many
@given(paste=pastes)
def test_what_slack_is_given(engine, paste):
    card = answered(engine, paste, SLACK)

    for aside in ("", f"{paste.author}: /vllm-diagnose"):
        shown = draw_slack(card, PAGES, aside)

        check_blocks(shown.blocks)
        check_update_text(shown.text)
        assert not pinged_by_text(shown.text, link_names=True)
        assert not pinged_by_blocks(shown.blocks)
        assert "```" not in shown.text
    assert_keeps_secrets(*_slack_texts(draw_slack(card, PAGES)), *_files(card))


def _slack_texts(shown):
    return shown.text, json.dumps(shown.blocks, ensure_ascii=False)


@many
@given(paste=pastes)
def test_what_discord_is_given(engine, paste):
    card = answered(engine, paste, DISCORD)

    drawn = draw_discord(card, MARK, PAGES)

    buttons = [{"type": 2, "label": one.label, "custom_id": one.custom_id} for one in drawn.buttons]
    rows = [{"type": 1, "components": buttons[at : at + 5]} for at in range(0, len(buttons), 5)]
    body = {"content": drawn.content, "embeds": list(drawn.embeds), "components": rows}
    texts = [drawn.content, *(embed["description"] for embed in drawn.embeds)]
    check_message(body, files=len(drawn.files))
    assert pings({"content": "\n".join(texts)}, through_webhook=False) == set()
    assert not [text for text in (*texts, *(one.label for one in drawn.buttons)) if _CALL.search(text)]
    for text in texts:
        assert text.count("```") == len(_DISCORD_FENCE.findall(text))
        assert text.count("```") % 2 == 0
    assert_keeps_secrets(json.dumps(body, ensure_ascii=False), *_files(drawn), *_files(card))


def _files(holder):
    files = getattr(holder, "files", None) or getattr(holder, "attachments", ())
    return [text for one in files for text in (one.name, one.text)]


@many
@given(paste=pastes)
def test_the_card_of_the_console_and_the_answer_as_a_file(engine, paste):
    card = answered(engine, paste, CONSOLE)

    data = json.dumps(card_to_json(card), ensure_ascii=False)
    document = document_of(card)

    assert_keeps_secrets(data, document)
    assert not _STEERING.search(document)
    codes = [part.text for one in card.sections for part in one.parts if isinstance(part, Code)]
    assert fences_of(document) == codes


@many
@given(paste=pastes)
def test_the_page_of_the_terminal_and_the_json(engine, paste):
    report = engine.diagnose_text(paste.text, Given(), None)
    out = io.StringIO()

    print_report(report, Page(out))
    data = json.dumps(report_to_json(report, "-"), ensure_ascii=False)

    assert not _STEERING.search(out.getvalue())
    assert_keeps_secrets(out.getvalue(), data)


@many
@given(paste=pastes, is_chinese=st.booleans())
def test_what_is_said_about_a_file_that_cannot_be_read(engine, paste, is_chinese):
    name = engine.mask(paste.file_name)[0]
    errors = (
        FileGoneError("slack", name),
        FileTooLargeError("slack", name, 1 << 20),
        NotAllowedError("slack", f"the file {name} was not shown", "files:read"),
    )

    for error in errors:
        card = trouble_card(error, "entry-1", "zh" if is_chinese else "en")
        slack, discord = draw_slack(card), draw_discord(card, MARK)

        assert not pinged_by_text(slack.text, link_names=True)
        assert not pinged_by_blocks(slack.blocks)
        texts = [discord.content, *(embed["description"] for embed in discord.embeds)]
        assert not [text for text in texts if _CALL.search(text)]
        assert_keeps_secrets(*_slack_texts(slack), *texts)


def test_the_pastes_are_hostile_indeed():
    drawn = [hostile(random.Random(seed)) for seed in range(200)]  # noqa: S311 (dice for tests)

    assert sum(any(secret in one.text for secret in SECRETS) for one in drawn) > 60
    assert sum("@everyone" in one.text for one in drawn) > 15
    assert sum("```" in one.text for one in drawn) > 15
