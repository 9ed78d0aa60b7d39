"""Whatever a card holds: no ping, no broken fence, nothing over Discord's limits, no command changed."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adapters.chat.discord.drawing.blocks import BLOCK_LIMIT
from adapters.chat.discord.drawing.escaping import (
    GAP,
    cut,
    escaped,
    fenced,
    is_exact,
    printable,
    sentence,
    weight,
)
from adapters.chat.discord.drawing.render import (
    BUTTON_LABEL,
    CAPABILITIES,
    CONTENT_LIMIT,
    EMBEDS_TOTAL,
    FILES,
    FILES_BYTES,
    render,
)
from adapters.chat.discord.ids import ButtonId, OwnMark
from adapters.chat.errors import TooLongError
from adapters.chat.interface import (
    Attachment,
    Bullets,
    Button,
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
from bot.triage.showing.fitting import fit
from tests.fakes.discord.limits import check_message
from tests.fakes.discord.mentions import pings

#: pieces that mean something to Discord, among ordinary letters
NASTY = st.sampled_from(
    [
        "```", "``", "`", "~~~", "**", "__", "||", "@everyone", "@here", "<@1>", "<@!1>", "<@&2>", "<#3>", "</go:4>",
        "<t:1:R>", "<:smile:5>", "<a:wave:6>", "<id:guide>", "[text](https://evil.example)", "https://a.example/b_c_d",
        "\n# big", "\n> quote", "\n- item", "\n1. one", "\n-# small", "\x1b[31m", "\x00", "\u202e", "😀", "\ud800",
        "\\", "\r\n",
        "_", "*", "VLLM_ATTENTION_BACKEND",
    ]
)  # fmt: skip
TEXT = st.lists(st.one_of(NASTY, st.text(max_size=20)), max_size=8).map("".join)
LONG = st.one_of(TEXT, st.builds(lambda text, times: text * times, TEXT, st.sampled_from([1, 1, 3, 40, 200])))
PARTS = st.one_of(
    st.builds(Paragraph, LONG),
    st.builds(Subheading, TEXT),
    st.builds(Code, LONG, st.sampled_from(CodeKind), TEXT, TEXT),
    st.builds(Fields, st.lists(st.builds(Field, TEXT, LONG), max_size=4).map(tuple)),
    st.builds(Bullets, st.lists(LONG, max_size=4).map(tuple)),
    st.builds(
        Links,
        st.lists(
            st.builds(
                Link, TEXT, st.one_of(TEXT, TEXT.map("https://example.org/{}".format), st.just("/rules/a"))
            ),
            max_size=3,
        ).map(tuple),
    ),
)
SECTIONS = st.builds(Section, TEXT, st.lists(PARTS, max_size=3).map(tuple), TEXT, st.booleans())
BUTTONS = st.builds(Button, st.sampled_from(["wrong", "approve"]), st.text(max_size=40), TEXT, confirm=TEXT)
CARDS = st.builds(
    Card,
    LONG,
    LONG,
    st.sampled_from(Tone),
    st.lists(TEXT, max_size=3).map(tuple),
    st.lists(SECTIONS, max_size=4).map(tuple),
    st.lists(BUTTONS, max_size=8).map(tuple),
    st.lists(st.builds(Attachment, TEXT, TEXT), max_size=3).map(tuple),
)
#: cards are large, and each example of them takes a while
few = settings(max_examples=40)
MARK = OwnMark.of("a1", "12345678901234567890")
MENTION = re.compile(r"@everyone|@here|<@[!&]?\d+>|<#\d+>|</[^>]+:\d+>|<a?:\w+:\d+>|<t:\d+", re.IGNORECASE)
FENCE = re.compile(r"^```(?:sh)?$", re.MULTILINE)


def body_of(drawn):
    rows = [
        {
            "type": 1,
            "components": [
                {"type": 2, "label": one.label, "custom_id": one.custom_id}
                for one in drawn.buttons[at : at + 5]
            ],
        }
        for at in range(0, len(drawn.buttons), 5)
    ]
    return {"content": drawn.content, "embeds": list(drawn.embeds), "components": rows}


def texts_of(drawn):
    return [drawn.content, *(embed["description"] for embed in drawn.embeds)]


@few
@given(CARDS)
def test_every_card_fits_into_a_message(card):
    drawn = render(card, MARK, pages_url="https://triage.example", asker="12345678901234567890")

    check_message(body_of(drawn), files=len(drawn.files))
    assert weight(drawn.content) <= CONTENT_LIMIT
    assert all(0 < weight(embed["description"].strip()) <= BLOCK_LIMIT for embed in drawn.embeds)
    shown = sum(weight(embed["description"]) for embed in drawn.embeds) + weight(str(MARK))
    assert shown <= EMBEDS_TOTAL
    assert drawn.embeds[-1]["footer"]["text"] == str(MARK)
    assert len({one.custom_id for one in drawn.buttons}) == len(drawn.buttons) <= 25
    assert all(one.label.strip() and len(one.label) <= BUTTON_LABEL for one in drawn.buttons)
    assert len(drawn.files) <= FILES
    assert sum(len(one.text.encode()) for one in drawn.files) <= FILES_BYTES
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,100}", one.name) for one in drawn.files)


@few
@given(CARDS)
def test_no_card_calls_anybody(card):
    drawn = render(card, MARK, pages_url="https://triage.example")

    assert not MENTION.search("\n".join([*texts_of(drawn), *(one.label for one in drawn.buttons)]))
    body = body_of(drawn) | {"content": "\n".join(texts_of(drawn))}
    assert pings(body, through_webhook=False) == set()


@few
@given(CARDS)
def test_every_fence_that_opens_closes_and_nothing_else_makes_one(card):
    drawn = render(card, MARK)

    for text in texts_of(drawn):
        assert text.count("```") == len(FENCE.findall(text))
        assert text.count("```") % 2 == 0


@few
@given(CARDS)
def test_what_is_drawn_can_be_sent(card):
    drawn = render(card, MARK)

    for text in (*texts_of(drawn), *(one.text for one in drawn.files)):
        text.encode()
        assert "\x00" not in text


@few
@given(CARDS)
def test_a_card_that_was_made_to_fit_needs_no_second_file(card):
    assume("\\ud800" not in str(card))
    fitted = fit(card, CAPABILITIES)
    plain = all(is_exact(part.text) for section in fitted.sections for part in section.parts
                if isinstance(part, Code) and part.kind is CodeKind.COMMAND)  # fmt: skip

    names = [one.name for one in render(fitted, MARK).files]

    assert "more.md" not in names or not plain


@given(LONG)
def test_a_command_is_shown_whole_and_unchanged_or_stands_in_the_file(command):
    card = Card("t", "t", sections=(Section("", (Code(command, CodeKind.COMMAND, "command"),)),))

    drawn = render(card, MARK)

    shown = f"```sh\n{command}\n```" in drawn.embeds[0]["description"]
    filed = any(printable(command) in one.text for one in drawn.files)
    assert shown or filed


@given(TEXT)
def test_plain_text_shows_as_it_stands(text):
    shown = escaped(text)
    # what the client takes off again: backslashes before marks, and the invisible gaps
    assert GAP not in text
    unescaped = re.sub(r"\\([\\*_~|`\[\]#>+\-.)])", r"\1", shown).replace(GAP, "")
    clean = "".join(
        one for one in text.replace("\r\n", "\n").replace("\r", "\n") if one in "\n\t" or one.isprintable()
    )

    assert "".join(one for one in unescaped if one in "\n\t" or one.isprintable()) == clean


@given(TEXT)
def test_a_backtick_that_opens_code_is_closed_on_its_line(text):
    shown = sentence(text)

    at = 0
    while at < len(shown):
        if shown[at] == "\\":
            at += 1
        elif shown[at] == "`":
            end = shown.index("`", at + 1)
            assert "\n" not in shown[at:end]
            at = end
        at += 1


@given(TEXT, st.integers(0, 50))
def test_cutting_keeps_the_beginning_and_the_limit(text, limit):
    short = cut(text, limit)

    assert weight(short) <= max(limit, 1)
    assert text.startswith(short.removesuffix("…"))


def test_there_are_no_more_files_and_buttons_than_discord_takes():
    buttons = tuple(Button("approve", str(number), f"Button {number}") for number in range(30))
    files = tuple(Attachment(f"../{number} a.md", "x" * (2 << 20)) for number in range(12))

    drawn = render(Card("t", "t", buttons=buttons, attachments=files), MARK)

    assert (len(drawn.buttons), len(drawn.files), drawn.files[0].name) == (25, 10, "_0_a.md")
    assert sum(len(one.text) for one in drawn.files) == FILES_BYTES


@given(labels=st.lists(st.text(max_size=200), min_size=1, max_size=40), about=st.text(max_size=300))
def test_a_choice_is_within_discord_s_limits_whatever_it_says(labels, about):
    options = tuple(Option(f"v{number}", label) for number, label in enumerate(labels))

    drawn = render(Card("t", "t", choices=(Choice("pick", about, options), Choice("none", "n", ()))), MARK)

    (choice,) = drawn.choices
    shown = [{"value": value, "label": label} for value, label in choice.options]
    select = {"type": 3, "custom_id": choice.custom_id, "placeholder": choice.label, "options": shown}
    body = {"content": drawn.content, "embeds": list(drawn.embeds)}
    check_message({**body, "components": [{"type": 1, "components": [select]}]}, files=0)
    assert [one["value"] for one in shown] == [one.value for one in options[:25]]


def test_a_choice_whose_name_cannot_be_carried_is_refused():
    with pytest.raises(TooLongError):
        render(Card("t", "t", choices=(Choice("x" * 97, "n", (Option("1", "a"),)),)), MARK)


def test_a_fence_ends_only_at_its_end():
    assert fenced("a ``` b `") == f"```\na ``{GAP}` b `{GAP}\n```"
    assert is_exact("echo `date`x")
    assert not is_exact("echo ```")
    assert not is_exact("echo @everyone")


def test_the_verdict_is_the_text_and_nothing_is_said_twice():
    card = Card(
        "The backend is not supported",
        "The backend is not supported (certain)",
        Tone.BAD,
        ("certain", "vLLM 0.11.2"),
        (
            Section("Cause", (Paragraph("Set `VLLM_ATTENTION_BACKEND` to *nothing*."),), aside="line 4"),
            Section("Fix", (Code("unset VLLM_ATTENTION_BACKEND", CodeKind.COMMAND, "fix", "Then restart."),)),
            Section("", (Fields((Field("GPU", "T4"),)), Bullets(("one", "two")))),
            Section(
                "See", (Links((Link("example.org/a", "https://example.org/a"), Link("page", "/rules/a"))),)
            ),
        ),
    )

    drawn = render(card, OwnMark.of("a1"))

    assert drawn.content == "**The backend is not supported** (certain)\n-# vLLM 0.11.2"
    assert drawn.embeds[0]["description"] == (
        "### Cause\n-# line 4\n\nSet `VLLM_ATTENTION_BACKEND` to \\*nothing\\*.\n\n"
        "### Fix\n\n```sh\nunset VLLM_ATTENTION_BACKEND\n```\nThen restart.\n\n"
        "**GPU:** T4\n\n- one\n- two\n\n### See\n\n- <https://example.org/a>"
    )
    assert (drawn.files, drawn.buttons) == ((), ())


def test_a_text_that_the_verdict_says_is_not_said_again():
    sections = (
        Section("", (Paragraph("Nothing is wrong here."),)),
        Section("Facts", (Paragraph("vLLM 0.11"),)),
    )

    drawn = render(Card("All is well", "All is well. Nothing is wrong here.", sections=sections), MARK)

    assert drawn.content == "**All is well**. Nothing is wrong here."
    assert drawn.embeds[0]["description"] == "### Facts\n\nvLLM 0.11"


def test_links_to_our_own_pages_need_an_address():
    card = Card("t", "t", sections=(Section("", (Links((Link("The rule", "/rules/a b"),)),)),))

    with_pages = render(card, MARK, pages_url="https://triage.example/")

    assert with_pages.embeds[0]["description"] == "- The rule"
    assert render(card, MARK).embeds[0]["description"] == "t"


def test_a_button_whose_value_does_not_fit_is_an_error():
    with pytest.raises(TooLongError):
        render(Card("t", "t", buttons=(Button("wrong", "x" * 100, "Wrong"),)), MARK)
    with pytest.raises(TooLongError):
        render(Card("t", "t", buttons=(Button("wrong", "x" * 85, "Wrong", confirm="?"),)), MARK)


@given(
    st.text(max_size=20).filter(lambda text: "." not in text),
    st.text(max_size=40),
    st.booleans(),
    st.none() | st.integers(1, 10**19).map(str),
)
def test_a_button_carries_its_action_and_value(action, value, asks, card):
    button = ButtonId(action, value, asks and card is None, card)

    assert ButtonId.read(str(button)) == button
