"""Any card, however odd, becomes something that Slack takes, that pings nobody and shows what it says."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from adapters.chat.errors import TooLongError
from adapters.chat.interface import (
    Bullets,
    Button,
    ButtonStyle,
    Card,
    Choice,
    Code,
    CodeKind,
    Field,
    Fields,
    Link,
    Links,
    Option,
    Paragraph,
    Section,
    Subheading,
    Tone,
)
from adapters.chat.slack.render import ALL_TEXTS_LIMIT, BLOCKS_LIMIT, CAPABILITIES, Rendered, render
from adapters.chat.slack.texts import escaped_within
from bot.triage.showing.fitting import fit, size_of
from tests.fakes.slack.escaping import pinged_by_blocks, pinged_by_text, unescape
from tests.fakes.slack.limits import check_blocks, check_update_text
from tests.fakes.slack.reading import readable

#: what clients act on, and what breaks limits, beside any text at all
NASTY = st.sampled_from(
    [
        "```",
        "`",
        "<!channel>",
        "<!here|here>",
        "@everyone",
        "@here",
        "<@U0000001>",
        "<!subteam^S1>",
        "&lt;!channel&gt;",
        "<https://a.example|b>",
        "&",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "🔥" * 40,
        "行" * 400,
        "<&>" * 1_500,
        "x" * 5_000,
        "\n\n",
    ]
)
TEXTS = st.lists(NASTY | st.text(max_size=40), max_size=4).map("".join)
PARTS = st.one_of(
    st.builds(Paragraph, TEXTS),
    st.builds(Subheading, TEXTS),
    st.builds(Code, TEXTS, st.sampled_from(CodeKind), TEXTS, TEXTS),
    st.builds(Fields, st.lists(st.builds(Field, TEXTS, TEXTS), max_size=14).map(tuple)),
    st.builds(Bullets, st.lists(TEXTS, max_size=6).map(tuple)),
    st.builds(
        Links,
        st.lists(
            st.builds(
                Link, TEXTS, st.sampled_from(["https://a.example/x", "/rules/x", "javascript:x"]) | TEXTS
            ),
            max_size=4,
        ).map(tuple),
    ),
)
CARDS = st.builds(
    Card,
    title=TEXTS,
    summary=TEXTS,
    tone=st.sampled_from(Tone),
    badges=st.lists(TEXTS, max_size=12).map(tuple),
    sections=st.lists(
        st.builds(Section, TEXTS, st.lists(PARTS, max_size=6).map(tuple), TEXTS, st.booleans()), max_size=8
    ).map(tuple),
    buttons=st.lists(
        st.builds(Button, st.just("act"), TEXTS, TEXTS, st.sampled_from(ButtonStyle), TEXTS), max_size=14
    ).map(tuple),
    language=st.sampled_from(["en", "zh"]),
)


def assert_slack_takes(rendered: Rendered) -> None:
    check_blocks(rendered.blocks)
    check_update_text(rendered.text)
    assert len(rendered.blocks) <= BLOCKS_LIMIT
    assert rendered.text
    for block in Block.parse_all(rendered.blocks):
        block.validate_json()
    for node in _nodes(rendered.blocks):
        if node.get("type") == "text":
            assert node["text"]
        if str(node.get("type")).startswith("rich_text"):
            assert node["elements"]
    json.dumps(rendered.blocks, ensure_ascii=False).encode()


def assert_pings_nobody(rendered: Rendered) -> None:
    assert not pinged_by_text(rendered.text, link_names=True)
    assert not pinged_by_blocks(rendered.blocks)
    kinds = {node.get("type") for node in _nodes(rendered.blocks)}
    assert not kinds & {"mrkdwn", "markdown", "user", "usergroup", "broadcast", "channel"}


def _nodes(value: object) -> list[dict[str, object]]:
    if isinstance(value, dict):
        return [value, *(node for inner in value.values() for node in _nodes(inner))]
    return [node for inner in value for node in _nodes(inner)] if isinstance(value, list) else []


@settings(max_examples=50)
@given(CARDS)
def test_any_card_that_was_made_to_fit_is_taken_and_pings_nobody(card: Card) -> None:
    rendered = render(fit(card, CAPABILITIES), "https://triage.example.org", "ann: /vllm-diagnose")
    assert_slack_takes(rendered)
    assert_pings_nobody(rendered)


@settings(max_examples=50)
@given(CARDS)
def test_a_card_that_was_not_made_to_fit_is_refused_before_slack_refuses_it(card: Card) -> None:
    rendered = None
    with suppress(TooLongError):
        rendered = render(card)
    if rendered is None:
        assert size_of(card, CAPABILITIES) > CAPABILITIES.total_limit
    else:
        assert_slack_takes(rendered)
        assert_pings_nobody(rendered)


def test_halves_of_characters_and_nul_are_no_matter() -> None:
    nasty = "a\ud800b\x00c"
    parts = (Paragraph(nasty), Code(nasty, CodeKind.COMMAND, nasty, nasty), Fields((Field(nasty, nasty),)))
    card = Card(nasty, nasty, badges=(nasty,), sections=(Section(nasty, parts, nasty),))
    assert_slack_takes(render(card))


@given(TEXTS)
def test_a_command_can_be_copied_byte_by_byte(text: str) -> None:
    fitted = fit(Card("t", "s", sections=(Section("", (Code(text, CodeKind.COMMAND, "c"),)),)), CAPABILITIES)
    (part,) = fitted.sections[0].parts[:1] or (None,)
    if not isinstance(part, Code) or not part.text.strip("\n"):
        return
    blocks = render(fitted).blocks
    shown = [node for node in _nodes(blocks) if node.get("type") == "rich_text_preformatted"]
    assert [node["text"] for node in _nodes(shown) if node.get("type") == "text"] == [text.rstrip("\n")]


@given(TEXTS, st.integers(min_value=4, max_value=300))
def test_the_text_beside_the_card_is_cut_between_its_entities(text: str, limit: int) -> None:
    cut = escaped_within(text, limit)
    assert len(cut.encode()) <= limit
    assert "&" not in cut.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")


def full() -> Card:
    return Card(
        title="Qwen3-VL does not take FLASHINFER",
        summary="Qwen3-VL does not take FLASHINFER & more. Certain.",
        tone=Tone.BAD,
        badges=("certain", "vLLM 0.11.2"),
        sections=(
            Section(
                "Cause",
                (
                    Paragraph("The `vit` encoder refuses `FLASHINFER` here, one ` is left."),
                    Code("RuntimeError: <no>", CodeKind.QUOTE, "line", "Printed once."),
                    Fields((Field("GPU", "H100"), Field("vLLM release", "0.11.2"))),
                ),
                aside="line 41",
            ),
            Section(
                "Fix",
                (
                    Subheading("Unset it"),
                    Code("unset VLLM_ATTENTION_BACKEND\n", CodeKind.COMMAND, "command"),
                    Bullets(("first", "second `x`")),
                    Links(
                        (
                            Link("Rule", "/rules/vit"),
                            Link("issue", "https://github.com/x/1"),
                            Link("no", "x:y"),
                        )
                    ),
                ),
            ),
        ),
        buttons=(
            Button("wrong", "r1", "Wrong answer", confirm="Sure?"),
            Button("wrong", "", "Again", ButtonStyle.PRIMARY),
        ),
    )


def test_everything_a_card_says_is_on_the_screen_in_its_order() -> None:
    rendered = render(full(), "https://triage.example.org/")
    assert_slack_takes(rendered)
    assert readable({"blocks": rendered.blocks, "text": rendered.text}) == (
        "Qwen3-VL does not take FLASHINFER\n"
        "🔴 certain\nvLLM 0.11.2\n"
        "Cause  line 41\n"
        "The vit encoder refuses FLASHINFER here, one ` is left.\n"
        "```\nRuntimeError: <no>\n```\nPrinted once.\nGPU: H100\nvLLM release: 0.11.2\n"
        "Fix\nUnset it\n```\nunset VLLM_ATTENTION_BACKEND\n```\n• first\n\n• second x\n\n• Rule\n\n• issue\n\n• no\n"
    )
    assert unescape(rendered.text) == full().summary


def test_code_and_headings_have_their_type() -> None:
    texts = {
        str(node["text"]): node.get("style")
        for node in _nodes(render(full()).blocks)
        if node.get("type") == "text"
    }
    assert texts["vit"] == {"code": True}
    assert texts["Cause"] == {"bold": True}
    assert texts["line 41"] == {"italic": True}
    assert texts["GPU: "] == {"bold": True}


def test_links_to_our_own_pages_need_an_address() -> None:
    def urls(pages: str | None) -> list[object]:
        return [node["url"] for node in _nodes(render(full(), pages).blocks) if node.get("type") == "link"]

    assert urls("https://t.example/") == ["https://t.example/rules/vit", "https://github.com/x/1"]
    assert urls(None) == ["https://github.com/x/1"]


def test_buttons_are_told_apart_and_carry_what_they_should() -> None:
    first, second = render(full()).blocks[-1]["elements"]
    assert (first["action_id"], first["value"], first["confirm"]["text"]["text"]) == (
        "wrong#0",
        "r1",
        "Sure?",
    )
    assert (second["action_id"], second["style"], "value" in second) == ("wrong#1", "primary", False)
    assert "style" not in first


@given(labels=st.lists(st.text(max_size=200), min_size=1, max_size=120), about=st.text(max_size=300))
def test_a_choice_is_what_slack_takes_whatever_it_says(labels: list[str], about: str) -> None:
    options = tuple(Option(f"{number}", label) for number, label in enumerate(labels))
    card = fit(
        Card("t", "s", choices=(Choice("pick", about, options), Choice("none", "n", ()))), CAPABILITIES
    )

    rendered = render(card)

    assert_slack_takes(rendered)
    (select,) = rendered.blocks[-1]["elements"]
    assert select["action_id"] == "pick#choice-0"
    assert [one["value"] for one in select["options"]] == [one.value for one in options[:100]]


def test_a_card_with_hardly_anything_is_shown_too() -> None:
    rendered = render(Card("", ""))
    assert (rendered.text, rendered.blocks) == ("…", [])


@pytest.mark.parametrize("language", ["en", "zh", "xx"])
def test_every_language_can_say_no(language: str) -> None:
    card = Card("t", "s", buttons=(Button("a", "1", "Go", confirm="Sure?"),), language=language)
    assert render(card).blocks[-1]["elements"][0]["confirm"]["deny"]["text"]


def test_a_card_is_measured_before_it_is_sent() -> None:
    long = Card("t", "s", sections=(Section("", (Paragraph("x" * (ALL_TEXTS_LIMIT + 1)),)),))
    with pytest.raises(TooLongError):
        render(long)
    many = Card("t", "s", sections=tuple(Section("h", ()) for _ in range(60)))
    with pytest.raises(TooLongError):
        render(many)
