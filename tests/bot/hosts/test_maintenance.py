"""Hours in which nobody relaunches, in the zone of whoever wrote them, over midnight and clock changes."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hosts.maintenance import DAYS, Window, lifts

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Window(frozenset({"sat"}), time(22), time(2), BERLIN)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        # 5 December 2026 is a Saturday; Berlin is one hour ahead of UTC then
        ("2026-12-05 20:59", None),
        ("2026-12-05 21:00", "2026-12-06 01:00"),
        ("2026-12-05 23:30", "2026-12-06 01:00"),
        ("2026-12-06 00:59", "2026-12-06 01:00"),
        ("2026-12-06 01:00", None),
        ("2026-12-04 22:00", None),
    ],
)
def test_a_window_over_midnight_belongs_to_the_day_it_begins_on(now, end):
    assert NIGHT.lifts(at(now)) == (at(end) if end else None)


def test_a_window_over_a_clock_change_ends_at_the_hour_on_the_wall():
    # on 28 March 2027, a Sunday, 02:00 becomes 03:00 in Berlin
    window = Window(frozenset({"sat"}), time(22), time(4), BERLIN)

    assert window.lifts(at("2027-03-27 22:00")) == at("2027-03-28 02:00")


def test_windows_that_follow_each_other_lift_when_the_last_one_does():
    first = Window(frozenset({"mon"}), time(1), time(3), ZoneInfo("UTC"))
    second = Window(frozenset({"mon"}), time(3), time(5), ZoneInfo("UTC"))

    assert lifts((second, first), at("2026-12-07 02:00")) == at("2026-12-07 05:00")
    assert lifts((first, second), at("2026-12-07 05:00")) is None
    assert lifts((), at("2026-12-07 02:00")) is None


@given(
    windows=st.lists(
        st.builds(
            Window,
            st.frozensets(st.sampled_from(DAYS), min_size=1),
            st.times().map(lambda one: one.replace(second=0, microsecond=0)),
            st.times().map(lambda one: one.replace(second=0, microsecond=0)),
            st.sampled_from([ZoneInfo("UTC"), BERLIN, ZoneInfo("Asia/Kolkata")]),
        ),
        max_size=3,
    ),
    now=st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_what_is_said_to_lift_is_later_and_holds(windows, now):
    end = lifts(tuple(windows), now)

    is_open = any(window.lifts(now) for window in windows)
    assert (end is not None) is is_open
    if end is not None:
        assert end > now
        is_always = any(window.lifts(end) for window in windows)
        # windows that cover the whole week never lift; what is told then is days away
        assert not is_always or (end - now).days >= 6
