"""A card fits every platform: within its limits, no command cut, the whole answer attached if need be."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat.interface import Capabilities, Card, Choice, Code, CodeKind, Fields, Option, Paragraph
from bot.triage.card import card_of
from bot.triage.showing.fitting import fit, size_of
from rules.engine.report import Status
from tests.bot.cli.sample_reports import LONG_COMMAND, a_report
from tests.bot.triage.test_cards_from_reports import acts_on_clients, commands_of, texts_of

ROOMY = Capabilities(
    title_limit=300,
    text_limit=20_000,
    field_limit=1_000,
    total_limit=200_000,
    blocks_limit=400,
    fields_limit=20,
    buttons_limit=10,
    button_label_limit=80,
    options_limit=25,
    file_limit_bytes=1 << 20,
)
#: as strict as a chat with embeds: see the limits of Discord
EMBED = Capabilities(
    title_limit=256,
    text_limit=1_024,
    field_limit=1_024,
    total_limit=6_000,
    blocks_limit=25,
    fields_limit=25,
    buttons_limit=5,
    button_label_limit=80,
    options_limit=25,
    file_limit_bytes=10 << 20,
)
#: as strict as a chat with blocks that escapes three characters: see the limits of Slack
BLOCKS = Capabilities(
    title_limit=150,
    text_limit=3_000,
    field_limit=2_000,
    total_limit=13_000,
    blocks_limit=50,
    fields_limit=10,
    buttons_limit=25,
    button_label_limit=75,
    options_limit=100,
    file_limit_bytes=1 << 20,
    heavier=(("&", 4), ("<", 3), (">", 3)),
)
TIGHT = replace(
    EMBED, text_limit=100, title_limit=40, field_limit=40, total_limit=600, blocks_limit=8, fields_limit=2
)

LONG = st.sampled_from(["&", "<", "word ", "界", "x" * 500]).flatmap(
    lambda bit: st.integers(0, 3_000).map(lambda count: (bit * count)[:4_000])
)


def is_within(card, limits):
    assert limits.length(card.title) <= limits.title_limit
    assert size_of(card, limits) <= limits.total_limit
    assert sum(1 + len(section.parts) for section in card.sections) <= limits.blocks_limit
    assert len(card.buttons) <= limits.buttons_limit
    assert all(limits.length(button.label) <= limits.button_label_limit for button in card.buttons)
    for choice in card.choices:
        assert len(choice.options) <= limits.options_limit
        assert limits.length(choice.label) <= limits.button_label_limit
        assert all(limits.length(one.label) <= limits.button_label_limit for one in choice.options)
    assert all(len(file.text.encode()) <= limits.file_limit_bytes for file in card.attachments)
    for section in card.sections:
        for part in section.parts:
            if isinstance(part, (Paragraph, Code)):
                assert limits.length(part.text) <= limits.text_limit
            if isinstance(part, Fields):
                assert len(part.fields) <= limits.fields_limit
                assert all(limits.length(field.value) <= limits.field_limit for field in part.fields)
    return True


def test_a_card_that_fits_is_left_as_it_is():
    card = card_of(a_report(), "reply-1")

    assert fit(card, ROOMY) == card


def test_a_card_that_does_not_fit_comes_with_the_whole_answer_as_a_file():
    card = card_of(a_report(), "reply-1")

    fitted = fit(card, TIGHT)

    (file,) = fitted.attachments
    assert file.name == "answer.md"
    assert LONG_COMMAND in file.text
    assert any("answer.md" in text for text in texts_of(fitted))


def test_a_command_is_never_cut():
    whole = set(commands_of(card_of(a_report())))

    for limits in (ROOMY, EMBED, BLOCKS, TIGHT):
        assert set(commands_of(fit(card_of(a_report()), limits))) <= whole


def test_a_command_that_could_end_its_block_is_left_to_the_file():
    card = card_of(a_report())
    section = replace(card.sections[0], parts=(Code("echo '```'", CodeKind.COMMAND, "x"),))

    fitted = fit(replace(card, sections=(section,)), ROOMY)

    assert commands_of(fitted) == []
    assert "echo '```'" in fitted.attachments[0].text


def test_details_go_before_what_decides():
    card = card_of(a_report())

    fitted = fit(card, replace(ROOMY, blocks_limit=12))

    kept = {section.heading for section in fitted.sections}
    assert card.sections[0].heading in kept
    assert any(section.detail and section.heading not in kept for section in card.sections)


@settings(max_examples=60, deadline=None)
@given(cause=LONG, quote=LONG, model=LONG, note=LONG, status=st.sampled_from(list(Status)))
def test_whatever_a_report_says_the_limits_hold_and_nothing_pings(cause, quote, model, note, status):
    report = a_report(status)
    report = replace(
        report,
        diagnoses=tuple(replace(one, cause=cause, title=note) for one in report.diagnoses),
        root_cause=report.root_cause and replace(report.root_cause, text=quote),
        facts=replace(report.facts, model=model),
        notes=tuple(replace(one, text=note) for one in report.notes * 30),
        ask=tuple(replace(one, why=cause) for one in report.ask),
    )

    for limits in (EMBED, BLOCKS, TIGHT):
        fitted = fit(card_of(report, "reply-1"), limits)

        assert is_within(fitted, limits)
        assert not [text for text in texts_of(fitted) if acts_on_clients(text)]


@given(label=LONG, count=st.integers(1, 200))
@settings(max_examples=40)
def test_a_choice_fits_with_the_first_of_its_options(label, count):
    options = tuple(Option(f"{number}", f"{label}{number}") for number in range(count))
    card = Card("t", "t", choices=(Choice("pick", label, options),))

    for limits in (ROOMY, EMBED, BLOCKS):
        (choice,) = fit(card, limits).choices

        kept = [one.value for one in choice.options]
        assert kept == [one.value for one in options][: limits.options_limit]
        assert limits.length(choice.label) <= limits.button_label_limit
        assert all(limits.length(one.label) <= limits.button_label_limit for one in choice.options)
