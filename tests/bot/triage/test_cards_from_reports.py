"""What a card says: verdict first, commands as they are, nothing that a chat client would act on."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.chat.interface import (
    Bullets,
    Choice,
    Code,
    CodeKind,
    Fields,
    Links,
    Option,
    Paragraph,
    Subheading,
    Tone,
    card_from_json,
    card_to_json,
)
from bot.triage.card import WRONG_ANSWER, card_of
from bot.triage.showing.defang import defang, is_safe_to_copy
from bot.triage.showing.document import document_of
from bot.triage.showing.typography import heading_and_rest, with_code
from rules.engine.report import Status
from tests.bot.cli.sample_reports import LONG_COMMAND, a_report

#: bits that chat clients act on, mixed into random text
NASTY = st.sampled_from(
    [
        "```",
        "``",
        "`",
        "@everyone",
        "@here",
        "<!channel>",
        "<@U123>",
        "<@&9>",
        "<#C1>",
        "~~~",
        "\u202e",
        "\x1b[31m",
        "\r",
        "\n",
    ]
)
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=12)), max_size=12).map("".join)


def texts_of(card):
    yield card.title
    yield card.summary
    for section in card.sections:
        yield section.heading
        yield section.aside
        for part in section.parts:
            match part:
                case Paragraph(text) | Subheading(text):
                    yield text
                case Code():
                    yield part.note
                    if part.kind is CodeKind.QUOTE:
                        yield part.text
                case Fields(fields):
                    yield from (text for field in fields for text in (field.name, field.value))
                case Bullets(items):
                    yield from items
                case Links(links):
                    yield from (link.text for link in links)


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.NEED_MORE])
def test_a_card_without_a_diagnosis_says_where_in_vllm_the_failure_arose(status):
    texts = list(texts_of(card_of(a_report(status))))

    assert any("vllm/v1/engine/core.py, line 833, in run_engine_core" in text for text in texts)
    assert any("vLLM 0.11.2 raises it in vllm/attention/selector.py, line 180" in text for text in texts)


def commands_of(card):
    return [
        part.text
        for section in card.sections
        for part in section.parts
        if isinstance(part, Code) and part.kind is CodeKind.COMMAND
    ]


def acts_on_clients(text):
    lowered = text.lower()
    return any(bit in lowered for bit in ("```", "~~~", "@everyone", "@here", "@channel", "<@", "<!", "<#"))


def test_a_diagnosis_leads_with_its_title_and_how_sure_it_is():
    card = card_of(a_report(), "reply-1")

    assert card.title == a_report().diagnoses[0].title
    assert card.badges == ("certain",)
    assert card.title in card.summary
    assert card.tone is Tone.BAD


def test_the_commands_of_a_fix_are_shown_byte_by_byte():
    commands = commands_of(card_of(a_report()))

    assert f"unset VLLM_ATTENTION_BACKEND\n{LONG_COMMAND}" in commands
    assert "grep -F 'Using FLASH_ATTN' vllm.log" in commands


def test_the_first_fix_stands_open_and_the_others_are_folded():
    fixes = [section for section in card_of(a_report()).sections if section.aside.startswith("Fix ")]

    assert [fix.aside.split(" · ")[0] for fix in fixes] == ["Fix 1 of 2", "Fix 2 of 2"]
    assert [fix.detail for fix in fixes] == [False, True]


def test_while_the_release_is_unknown_every_range_of_the_first_fix_stands_open():
    report = a_report()
    first = report.diagnoses[0]
    ranges = tuple(replace(first.fixes[0], releases=one) for one in (">=0.6.3,<0.11", ">=0.11,<0.13"))
    unknown = replace(
        report,
        facts=replace(report.facts, vllm_version=None),
        diagnoses=(replace(first, fixes=(*ranges, first.fixes[1])),),
    )

    fixes = [section for section in card_of(unknown).sections if section.aside.startswith("Fix ")]

    assert [fix.detail for fix in fixes] == [False, False, True]
    assert ">=0.6.3, <0.11" in fixes[0].aside


@pytest.mark.parametrize(
    ("summary", "heading", "rest"),
    [
        ("Upgrade vLLM to 0.13.0.", "Upgrade vLLM to 0.13.0", ""),
        (
            "Remove the variable FOO: the model then starts.",
            "Remove the variable FOO",
            "The model then starts.",
        ),
        (
            "Upgrade to vLLM 0.13.0 or newer; vllm serve reads it.",
            "Upgrade to vLLM 0.13.0 or newer",
            "vllm serve reads it.",
        ),
        ("从服务器环境中删除该变量,然后重新启动服务器。", "从服务器环境中删除该变量,然后重新启动服务器", ""),
        (
            "删除这个变量之后再重新启动整个推理服务器。日志里会写明。",
            "删除这个变量之后再重新启动整个推理服务器",
            "日志里会写明。",
        ),
    ],
)
def test_a_summary_is_split_into_a_heading_and_the_rest(summary, heading, rest):
    assert heading_and_rest(summary) == (heading, rest)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Set VLLM_X=FLASH_ATTN, then start.", "Set `VLLM_X=FLASH_ATTN`, then start."),
        (
            "Use --mm-encoder-attn-backend with TORCH_SDPA.",
            "Use `--mm-encoder-attn-backend` with `TORCH_SDPA`.",
        ),
        ("Set `VLLM_X` yourself, not VLLM_Y.", "Set `VLLM_X` yourself, not VLLM_Y."),
        ("FLASHINFER on H100 -- or not", "FLASHINFER on H100 -- or not"),
    ],
)
def test_flags_and_variables_are_shown_as_code(text, marked):
    assert with_code(text) == marked


@given(TEXT)
def test_marking_code_changes_nothing_but_backticks(text):
    assert with_code(text).replace("`", "") == text.replace("`", "")


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_status_has_a_card_in_both_languages(status, language):
    card = card_of(a_report(status, language=language), "reply-1")

    assert card.language == language
    assert card.title
    assert card.summary
    assert all("{" not in text or "}" not in text for text in (card.title, card.summary))


def test_commands_are_the_same_in_both_languages():
    english, chinese = (commands_of(card_of(a_report(language=one))) for one in ("en", "zh"))

    assert english == chinese


def test_what_is_missing_is_asked_for_with_a_command():
    report = a_report(Status.NEED_MORE)

    commands = commands_of(card_of(report))

    assert report.ask
    assert all(ask.command in commands for ask in report.ask)


def test_a_card_without_an_incident_has_no_button_to_call_it_wrong():
    assert card_of(a_report(Status.NOT_AN_INCIDENT), "reply-1").buttons == ()


def test_the_button_carries_the_id_of_the_reply_and_nothing_else():
    (button,) = card_of(a_report(), "reply-1").buttons

    assert (button.action, button.value) == (WRONG_ANSWER, "reply-1")


@given(TEXT)
def test_defanged_text_acts_on_no_client(text):
    assert not acts_on_clients(defang(text))


@given(TEXT)
def test_defanging_twice_changes_nothing_more(text):
    assert defang(defang(text)) == defang(text)


@given(
    st.text(
        alphabet=st.characters(codec="ascii", exclude_characters="`<@~\r", categories=("L", "N", "P", "S"))
    )
)
def test_plain_text_is_left_as_it_is(text):
    assert defang(text) == text
    assert is_safe_to_copy(text)


@given(title=TEXT, cause=TEXT, quote=TEXT, model=TEXT, why=TEXT, summary=TEXT)
def test_nothing_quoted_from_a_paste_reaches_a_client_as_markup(title, cause, quote, model, why, summary):
    report = a_report()
    first = report.diagnoses[0]
    fixes = tuple(replace(fix, summary=summary) for fix in first.fixes)
    root = replace(report.root_cause, text=quote, process=model)
    report = replace(
        report,
        diagnoses=(replace(first, title=title, cause=cause, fixes=fixes), replace(first, title=why)),
        root_cause=root,
        facts=replace(report.facts, model=model, gpu=model),
        ruled_out=tuple(replace(one, why=why) for one in report.ruled_out),
        ask=tuple(replace(one, why=why) for one in report.ask),
    )

    card = card_of(report)

    assert not [text for text in texts_of(card) if acts_on_clients(text)]


@given(quote=TEXT)
def test_a_card_survives_being_kept_as_json(quote):
    report = a_report()
    card = card_of(replace(report, root_cause=replace(report.root_cause, text=quote)), "reply-1")
    card = replace(card, choices=(Choice("pick", quote, (Option("1", quote), Option("2", "b"))),))

    assert card_from_json(card_to_json(card)) == card


def test_a_card_that_an_earlier_release_kept_has_no_choices():
    kept = card_to_json(card_of(a_report()))
    del kept["choices"]

    assert card_from_json(kept).choices == ()


def test_the_document_holds_every_command_of_the_card():
    card = card_of(a_report())

    document = document_of(card)

    assert all(command in document for command in commands_of(card))


@given(st.text(alphabet="`a\n", max_size=30))
def test_no_code_ends_its_fence_in_the_document(text):
    report = a_report()
    card = card_of(replace(report, root_cause=replace(report.root_cause, text="quoted")))
    section = replace(card.sections[0], parts=(Code(text, CodeKind.COMMAND, "x"),))

    document = document_of(replace(card, sections=(section,)))

    fence = document.split("sh\n", 1)[0].rsplit("\n", 1)[-1]
    assert set(fence) == {"`"}
    assert fence not in text
