"""Which roles somebody has on Discord now: asked for, remembered for a moment, and never guessed."""

import pytest

from adapters.chat.errors import ChatError
from adapters.chat.interface import Button
from tests.adapters.chat.discord.discord_bot import answer, card, thread_of
from tests.fakes.faults import Fault

ROUTE = "GET /guilds/{guild_id}/members/{user_id}"
ROLES = frozenset({"7001", "7002"})


async def test_somebody_has_the_roles_that_discord_says_now(stage, platform, world):
    ann = world.user("ann").user
    ann.roles[:] = ["7001", "7003"]

    assert await platform.groups_of(world.guild_id, ann.id, ROLES, 60.0) == {"7001"}
    ann.roles.clear()
    assert await platform.groups_of(world.guild_id, ann.id, ROLES, 60.0) == {"7001"}
    assert await platform.groups_of(world.guild_id, ann.id, ROLES, 0.0) == frozenset()
    assert len(world.rest.called(ROUTE)) == 2


async def test_everybody_in_a_guild_has_its_own_role_and_who_left_has_none(stage, platform, world):
    everybody = frozenset({world.guild_id})
    ann = world.user("ann").user

    assert await platform.groups_of(world.guild_id, ann.id, everybody, 0.0) == everybody
    assert await platform.groups_of(world.guild_id, "404", everybody, 0.0) == frozenset()
    assert await platform.groups_of("@me", ann.id, everybody, 0.0) == frozenset()


async def test_an_answer_that_does_not_come_is_told_and_not_remembered(stage, platform, world):
    ann = world.user("ann").user
    ann.roles[:] = ["7001"]
    world.faults.plan(Fault(ROUTE, status=403, error="50001"))

    with pytest.raises(ChatError):
        await platform.groups_of(world.guild_id, ann.id, ROLES, 60.0)
    assert await platform.groups_of(world.guild_id, ann.id, ROLES, 60.0) == {"7001"}


async def test_a_press_and_a_command_tell_the_roles_of_whoever_acts_also_new_ones(
    stage, kept, platform, world
):
    await stage.say("ValueError: No valid attention backend found")
    event = await kept.next()
    shown = card(buttons=(Button("fetch", "a1", "Fetch"),))
    await platform.post(thread_of(event), answer(event, shown=shown))
    world.user("bob").user.roles[:] = ["7001", "7003"]

    await stage.press(await stage.next_answer(), "Fetch", person="bob")
    click = await kept.next(1)
    await stage.command("fetch qwen", person="bob")
    command = await kept.next(2)
    await stage.command("fetch qwen", person="ann")
    other = await kept.next(3)

    assert set(click.groups) == set(command.groups) == {world.guild_id, "7001", "7003"}
    assert set(other.groups) == {world.guild_id}
