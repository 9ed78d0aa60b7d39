"""The end of a log, however long it is; what leaves is masked, bounded and written down."""

import pytest

from adapters.hosts.errors import HostUnreachableError
from adapters.hosts.records import LogPart, Phase, RunState, ServerStatus
from bot.hosts.registry import Registry
from bot.relaunch.fetching import MOST_LINES, Fetching, log_end
from tests.bot.relaunch.team import a_registry, a_team
from tests.bot.relaunch.test_every_act_by_everybody import SETTER, a_policy
from tests.fakes.host import Behaviour, Fault


class LongLog:
    """A host with a log of any length, which is made up as it is read."""

    def __init__(self, size):
        self.size = size
        self.asked = 0

    async def status(self, server, offset, limit):
        self.asked += 1
        end = min(self.size, offset + limit)
        text = "".join("\n" if place % 50 == 49 else "x" for place in range(offset, end))
        part = LogPart("s1", max(end, offset), text)
        return ServerStatus(
            RunState.RUNNING, Phase.STARTED, 1, 1, "k", "s1", 1, 0, None, None, 0.0, True, part
        )


@pytest.mark.parametrize("size", [0, 1, 131_072, 131_073, 999_999, 40_000_000])
async def test_the_last_piece_reaches_the_end_of_the_log(size):
    host = LongLog(size)

    log = (await log_end(host, "qwen")).log

    assert log.next_offset == size
    assert len(log.text) >= min(size, 65_536)
    assert host.asked < 40


def a_fetching(team):
    return Fetching(team.permission, team.find_host, team.journal, team.now)


async def test_lines_are_bounded_and_masked_once_more(tmp_path):
    registry = Registry(a_registry(operations=frozenset({"fetch"})).hosts, a_policy())
    async with a_team(tmp_path, registry=registry) as team:
        secret = "hf_" + "Zq7Planted0Secret9Core5xY2bN8"
        log = "".join(f"line {number} {secret}\n" for number in range(500))
        team.host.process.behaviour = Behaviour(log=(log,))

        fetched = await a_fetching(team).fetch(SETTER, "qwen", 10_000)

        assert len(fetched.lines) == MOST_LINES
        assert fetched.lines[-1].startswith("line 499")
        assert secret not in str(fetched)
        entries = await team.journalled()
        assert [entry["stage"] for entry in entries] == ["decision", "intent", "result"]
        assert secret not in str(entries)


async def test_a_host_that_does_not_answer_is_in_the_journal_too(tmp_path):
    registry = Registry(a_registry(operations=frozenset({"fetch"})).hosts, a_policy())
    async with a_team(tmp_path, registry=registry) as team:
        team.host.faults = [Fault("snapshot", "unreachable")]

        with pytest.raises(HostUnreachableError):
            await a_fetching(team).fetch(SETTER, "qwen", 5)

        assert (await team.journalled())[-1]["outcome"] == "failed"


async def test_a_server_that_nobody_registered_is_no_server(tmp_path):
    async with a_team(tmp_path) as team:
        with pytest.raises(LookupError, match="nowhere"):
            await a_fetching(team).fetch(SETTER, "nowhere", 5)
