"""What is fetched and swept in chat: said once whatever breaks, to the right people, within every limit."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat.console.platform import CAPABILITIES as CONSOLE
from adapters.chat.discord.drawing.render import CAPABILITIES as DISCORD
from adapters.chat.interface import Card, Person, Trigger, UnreachableError
from adapters.chat.slack.render import CAPABILITIES as SLACK
from bot.hosts.registry import Registry
from bot.relaunch.chat.actions import FETCH_PICK, pick_value
from bot.relaunch.chat.found import fetched_sections, launch_line, sweep_card
from bot.relaunch.chat.orders import Order, Verb, order_of
from bot.relaunch.fetching import Fetched
from bot.relaunch.sweeping import Fate, Reason, Swept
from bot.triage.card import FETCH, SWEEP
from bot.triage.showing.fitting import fit, size_of
from tests.bot.relaunch.asking import PASTE, Street, press, said, where, who
from tests.bot.relaunch.team import ANNA, CHANNEL, a_policy, a_registry, a_team
from tests.bot.triage.test_cards_from_reports import acts_on_clients, texts_of
from tests.fakes.host import Behaviour, Fault

SERVER = {"operations": frozenset({"fetch", "sweep"}), "channels": frozenset({CHANNEL, "console:general"})}
ROOM = where(CHANNEL)
PERSON = who(ANNA)


def registry(**values):
    return Registry(a_registry(**{**SERVER, **values}).hosts, a_policy())


def fetches(entries):
    return [(one["stage"], one["outcome"]) for one in entries if one["act"] == "fetch"]


async def an_answer(street, text=PASTE):
    entry = await street.hears(said(ROOM, PERSON, text))
    return await street.shown(entry)


async def test_an_answer_that_could_not_be_posted_is_posted_later_and_nothing_is_fetched_again(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        street = Street(team)
        answer, platform = await an_answer(street), street.platforms["slack"]
        post, tries = platform.post, []

        async def first_fails(place, reply):
            tries.append(reply.id)
            if len(tries) == 1:
                raise UnreachableError("slack", "posting")
            return await post(place, reply)

        platform.post = first_fails
        click = press(ROOM, PERSON, answer, FETCH)
        with pytest.raises(UnreachableError):
            await street.pressed(click)
        (waiting,) = await street.inbox.waiting(9)
        await street.answering.handle(waiting)

        assert tries[0] == tries[1]
        assert len(platform.public) == 2
        assert fetches(await team.journalled()) == [
            ("decision", "allowed"),
            ("intent", ""),
            ("result", "done"),
        ]


async def test_a_second_press_by_somebody_else_is_told_that_it_was_done(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        street = Street(team)
        answer = await an_answer(street)
        for action in (FETCH, SWEEP):
            await street.pressed(press(ROOM, PERSON, answer, action))
            public = len(street.platforms["slack"].public)

            await street.pressed(press(ROOM, PERSON, answer, action, language="zh-CN"))

            assert len(street.platforms["slack"].public) == public
            assert street.platforms["slack"].private[-1].card.title.startswith("已经有人问过")
        assert len(fetches(await team.journalled())) == 3


async def test_on_the_console_a_server_of_another_room_is_shown_to_whoever_asks_alone(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        street, console = Street(team), where("console:elsewhere")
        root = Person("os:root", "root")
        for number, text in enumerate(("fetch qwen", "sweep qwen")):
            await street.hears(said(console, root, text, Trigger.COMMAND, f"c{number}"))

        platform = street.platforms["console"]
        assert [reply.recipient for reply in platform.private] == ["os:root", "os:root"]
        assert platform.public == []
        assert any("Fetched from qwen" in part.heading for part in platform.private[0].card.sections)


async def test_the_same_button_in_a_room_of_the_server_is_answered_to_all(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        street, console = Street(team), where("console:general")
        root = Person("os:root", "root")

        await street.hears(said(console, root, "fetch qwen", Trigger.COMMAND, "c1"))

        assert len(street.platforms["console"].public) == 1


async def test_a_log_that_shows_no_failure_is_said_so_and_starts_no_incident(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        team.host.process.behaviour = Behaviour(log=("Application startup complete.\n",))
        street = Street(team)

        entry = await street.hears(said(ROOM, PERSON, "fetch qwen", Trigger.COMMAND, "c1"))

        (shown,) = street.platforms["slack"].public
        assert any("Fetched from qwen" in section.heading for section in shown.card.sections)
        assert await street.incidents.in_thread(entry.place) is None


async def test_a_host_that_does_not_answer_can_be_asked_again(tmp_path):
    async with a_team(tmp_path, registry=registry()) as team:
        street = Street(team)
        answer = await an_answer(street)
        team.host.faults = [Fault("snapshot", "unreachable")]

        await street.pressed(press(ROOM, PERSON, answer, FETCH))
        told = street.platforms["slack"].private[-1].card
        await street.pressed(press(ROOM, PERSON, answer, FETCH))

        assert told.title.startswith("qwen could not be asked: ")
        assert len(street.platforms["slack"].public) == 2
        outcomes = [outcome for stage, outcome in fetches(await team.journalled()) if stage == "result"]
        assert outcomes == ["failed", "done"]


@pytest.mark.parametrize("value", ["", "x", "../../etc", "0" * 32, "0" * 32 + ":" + "0" * 16, "a:b:c"])
async def test_a_button_that_carries_something_else_does_nothing(tmp_path, value):
    async with a_team(tmp_path, registry=registry()) as team:
        street = Street(team)
        answer = await an_answer(street)
        for action in (FETCH, FETCH_PICK, SWEEP):
            await street.pressed(replace(press(ROOM, PERSON, answer, action), value=value))

        assert len(street.platforms["slack"].private) == 3
        assert await team.journalled() == []


async def test_a_picked_server_is_judged_like_any_other(tmp_path):
    async with a_team(tmp_path, registry=registry(operations=frozenset({"relaunch"}))) as team:
        street = Street(team)
        answer = await an_answer(street)

        await street.pressed(
            replace(press(ROOM, PERSON, answer, FETCH_PICK), value=pick_value(answer.id, "qwen"))
        )

        assert "does not allow this" in str(street.platforms["slack"].private[-1].card)
        assert fetches(await team.journalled()) == [("decision", "refused")]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("fetch qwen", Order(Verb.FETCH, "qwen")),
        ("  FETCH  `qwen`  ", Order(Verb.FETCH, "qwen")),
        ("fetch", Order(Verb.FETCH, "")),
        ("sweep", Order(Verb.SWEEP, "")),
        ("sweep vit-backend-rejected", Order(Verb.SWEEP, "vit-backend-rejected")),
        ("fetch me the log", None),
        ("fetching qwen", None),
        ("", None),
        ("x" * 400, None),
    ],
)
def test_a_command_orders_something_or_is_a_paste(text, order):
    assert order_of(said(ROOM, PERSON, text, Trigger.COMMAND)) == order
    for trigger in set(Trigger) - {Trigger.COMMAND}:
        assert order_of(said(ROOM, PERSON, text, trigger)) is None


NASTY = st.text(max_size=300) | st.sampled_from(["@everyone", "```", "<!channel>", "\u202ex", "y" * 3_000])


@given(st.lists(NASTY, max_size=40), NASTY, st.sampled_from(["en", "zh"]))
@settings(max_examples=60)
def test_what_was_fetched_is_shown_within_every_limit_and_calls_nobody(lines, variable, language):
    fetched = Fetched(
        "qwen", "gpu-1", variable[:20], ("H100",), "exited", "started", 1, 0,
        ("vllm", variable), (variable,), tuple(lines),
    )  # fmt: skip

    card = Card("t", "t", sections=fetched_sections(fetched, language))

    for limits in (SLACK, DISCORD, CONSOLE):
        fitted = fit(card, limits)
        assert size_of(fitted, limits) <= limits.total_limit
    assert not [text for text in texts_of(card) if acts_on_clients(text)]


@given(st.lists(st.sampled_from(list(Fate)), min_size=1, max_size=120), NASTY, st.sampled_from(["en", "zh"]))
@settings(max_examples=60)
def test_who_else_is_shown_within_every_limit_the_worst_first(fates, reason, language):
    swept = [Swept(f"s{number}", "gpu", fate, reason, "0.11.2") for number, fate in enumerate(fates)]

    card = sweep_card("vit-backend-rejected", swept, language)

    for limits in (SLACK, DISCORD, CONSOLE):
        fitted = fit(card, limits)
        assert size_of(fitted, limits) <= limits.total_limit
    hits = sum(fate in {Fate.WOULD_FAIL, Fate.LIKELY, Fate.POSSIBLE} for fate in fates)
    assert (str(hits) in card.title) or not hits
    assert not [text for text in texts_of(card) if acts_on_clients(text)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_reason_is_a_sentence_in_each_language(language):
    for key in (
        "no-setting-changed",
        "without",
        "release-unknown",
        "other-release",
        "other-model",
        "same-model",
    ):
        told = Reason(key, "VLLM_X=1", "0.11.2").in_language(language)
        assert told.endswith("。" if language == "zh" else ".")
        assert "{" not in told


def test_what_the_host_masked_is_no_part_of_the_launch_that_is_read():
    fetched = Fetched(
        "qwen", "gpu-1", None, None, "exited", "started", 1, 0,
        ("vllm", "serve", "m y", "--api-key", "<masked>"), ("HF_TOKEN=<masked>", "A=b c"), (),
    )  # fmt: skip

    assert launch_line(fetched) == "'A=b c' vllm serve 'm y' --api-key"
