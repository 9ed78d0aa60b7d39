"""The page of figures over real HTTP, and where the marks of its charts stand."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clock import system_clock
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move
from bot.web.figures import charts, counting
from tests.bot.web.relaunched import a_console, planned
from tests.bot.web.served import REFUSED, a_loaded_page

TODAY = date(2026, 12, 1)
WAY = (
    *(State.APPROVED, State.LOCKED, State.STOPPING, State.GPU_FREE, State.LAUNCHING),
    *(State.STARTING, State.HEALTHY, State.VERIFYING, State.COMMITTED),
)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


async def test_an_answer_is_counted_under_its_day_and_its_rule(tmp_path):
    async with a_loaded_page(tmp_path) as page, page.following() as events:
        await page.say(REFUSED)
        await events.room("reply")

        status, text = await page.load("/figures")
        _, chinese = await page.load("/figures?lang=zh&days=7")

    assert status == 200
    assert 'class="status diagnosed"' in text
    assert "Diagnosed: <b>1</b>" in text
    assert "/rules/" in text
    assert "of the last 1:" in text
    assert "已诊断" in chinese
    assert 'href="?days=7" aria-current="true"' in chinese


async def test_without_answers_the_page_says_so_and_odd_ranges_are_not_heeded(tmp_path):
    async with a_loaded_page(tmp_path) as page:
        for query in ("", "?days=8", "?days=<script>", "?days=-1"):
            status, text = await page.load(f"/figures{query}")

            assert status == 200
            assert "Nothing was answered in this time." in text
            assert 'href="?days=30" aria-current="true"' in text
            assert "From paste to verified" not in text


async def test_a_verified_relaunch_is_a_dot_for_those_who_may_see_it(tmp_path):
    async with a_console(tmp_path) as (_, page, team):
        run_id = await _verified(team)

        _, text = await page.load("/figures")

    assert text.count('class="dot"') == 1
    assert f'href="/relaunches/{run_id}"' in text
    assert "1 verified: half within" in text


async def test_a_relaunch_that_somebody_may_not_see_is_not_counted(tmp_path):
    async with a_console(tmp_path, people=("os:somebody-else",)) as (_, page, team):
        await _verified(team)

        _, text = await page.load("/figures")

    assert 'class="dot"' not in text
    assert "No relaunch that you may see" in text


async def _verified(team):
    """A run that went through all its states, of which the bot's own engine was never told."""
    run_id, _ = await planned(team)
    for state in WAY:
        assert await team.runs.move(Move(run_id, state, system_clock()))
    return run_id


DAYS = st.integers(1, 120)
COUNTS = st.dictionaries(
    st.integers(0, 119),
    st.dictionaries(st.sampled_from(counting.STATUSES), st.integers(0, 10**7)),
    max_size=40,
)


@given(DAYS, COUNTS)
def test_bars_stay_inside_their_drawing_and_hold_every_count(length, counts):
    days = counting.days_until(TODAY, length)
    by_day = {days[at % length]: count for at, count in counts.items()}

    found = charts.bars(days, by_day, counting.STATUSES)

    for day, bar in zip(days, found, strict=True):
        assert bar.x >= 0
        assert bar.x + bar.width <= charts.WIDTH + 0.01
        kept = {kind: count for kind, count in by_day.get(day, {}).items() if count}
        assert {piece.kind: piece.count for piece in bar.pieces} == kept
        for piece in bar.pieces:
            assert 0 <= piece.y <= charts.HEIGHT
            assert piece.height >= 0
    assert found[-1].is_named
    assert sum(bar.is_named for bar in found) <= 9


@pytest.mark.parametrize(
    ("counts", "most"), [({}, 1), ({"unknown": 3}, 5), ({"unknown": 60, "diagnosed": 41}, 200)]
)
def test_the_scale_ends_at_a_round_number_that_nothing_exceeds(counts, most):
    assert charts.highest({TODAY: counts}) == most
    assert charts.scale(most)[-1].name == str(most)
    assert charts.scale(most)[0].name == "0"


@given(st.lists(st.tuples(st.integers(-10, 10**7), st.floats(0, 1e9)), max_size=20))
def test_dots_stay_inside_whatever_clocks_say(moments):
    ticks = [(10.0, "10 s"), (86_400.0, "24 h")]
    times = [(NOON - timedelta(seconds=back), seconds, "x") for back, seconds in moments]

    dots, lines = charts.dots(times, NOON - timedelta(days=30), NOON, ticks)

    assert len(dots) == len(times)
    assert all(0 <= dot.x <= charts.WIDTH and 0 <= dot.y <= charts.HEIGHT for dot in dots)
    assert lines[0].y > lines[1].y


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_the_spread_of_times_is_in_order(seconds):
    found = counting.spread(seconds)

    assert found is not None
    assert min(seconds) <= found.half <= found.nine_of_ten <= found.longest == max(seconds)


def test_of_nothing_there_is_no_spread():
    assert counting.spread([]) is None
