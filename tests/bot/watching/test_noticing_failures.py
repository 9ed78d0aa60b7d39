"""When a log's lines are taken for a failed start, and which of them are that start's."""

from hypothesis import given
from hypothesis import strategies as st

from bot.watching.known import KnownFailures, is_worth_saying
from bot.watching.lines import LineCutter
from bot.watching.watchman import Watchman
from rules.engine.report import Status

QUIET_S = 5.0
BANNER = "(APIServer pid=1) INFO 11-28 07:55:02 [api_server.py:1977] vLLM API server version 0.11.2"
DRAWN = "(APIServer pid=1) INFO 12-01 04:21:03 [utils.py:299]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.19.0"
STARTED = "INFO:     Application startup complete."
FAILURE = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
GIVEN_UP = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
CALM = "INFO 11-28 07:55:09 [model.py:631] Resolved architecture: Qwen3VLForConditionalGeneration"


class Log:
    """A log as it grows, and its watchman."""

    def __init__(self):
        self.watchman = Watchman(QUIET_S)
        self.cutter = LineCutter()

    def lines(self, *texts):
        return self.cutter.cut("".join(f"{text}\n" for text in texts).encode())

    def grow(self, *texts, now=0.0):
        return self.watchman.take(self.lines(*texts), now)


def text(case):
    return case.text().decode().split("\n")


def test_a_failure_is_handed_over_once_its_lines_have_stopped():
    log = Log()
    log.grow(BANNER, CALM, now=0)
    log.grow(FAILURE, now=3)

    assert log.watchman.due(3 + QUIET_S - 0.1) is None
    assert text(log.watchman.due(3 + QUIET_S)) == [BANNER, CALM, FAILURE]
    assert log.watchman.due(100) is None


def test_calm_lines_do_not_keep_a_failure_waiting():
    log = Log()
    log.grow(FAILURE, now=0)
    log.grow(CALM, now=QUIET_S)

    early = log.watchman.due(QUIET_S)
    assert (text(early), early.is_final) == ([FAILURE, CALM], False)
    assert log.watchman.due(QUIET_S) is None
    assert log.watchman.due(2 * QUIET_S).is_final


def test_a_failure_whose_lines_never_stop_is_handed_over_all_the_same():
    log = Log()
    handed_over = []
    for now in range(100):
        log.grow(FAILURE, now=now)
        handed_over += filter(None, [log.watchman.due(now)])

    assert len(handed_over) == 3


def test_a_program_that_says_that_it_gives_up_is_not_waited_for():
    log = Log()
    log.grow(BANNER, FAILURE, GIVEN_UP, now=0)
    early = log.watchman.due(0)

    assert (text(early)[-1], early.is_final) == (GIVEN_UP, False)
    assert log.watchman.due(0) is None
    assert log.watchman.due(QUIET_S).is_final


def test_a_line_of_source_code_is_no_giving_up():
    log = Log()
    log.grow(FAILURE, '    raise RuntimeError("Engine core initialization failed. "', now=0)

    assert log.watchman.due(0) is None


def test_another_start_hands_the_failed_one_over_with_its_own_lines():
    log = Log()
    (case,) = log.grow(BANNER, FAILURE, "systemd: restarting", DRAWN, CALM, FAILURE)

    assert text(case) == [BANNER, FAILURE, "systemd: restarting"]
    # what stood before a banner may belong to either start, and no failure is counted twice for it
    assert text(log.watchman.end(0)) == ["systemd: restarting", DRAWN, CALM, FAILURE]


def test_a_start_that_did_not_fail_is_not_handed_over():
    log = Log()

    assert log.grow(BANNER, CALM, STARTED, BANNER, CALM, STARTED) == []
    assert log.watchman.end(0) is None


def test_a_sentence_about_a_version_is_no_banner():
    log = Log()
    log.grow(BANNER, FAILURE, "see version 2 of the manual", "the driver has version 570")

    assert len(text(log.watchman.end(0))) == 4


def test_what_was_there_before_tells_of_the_start_and_raises_nothing():
    log = Log()
    log.watchman.remember(log.lines(BANNER, FAILURE, BANNER, CALM))

    assert log.watchman.due(100) is None
    log.grow(FAILURE, now=100)

    assert text(log.watchman.due(100 + QUIET_S)) == [BANNER, CALM, FAILURE]


def test_without_a_banner_what_came_last_is_also_told_alone():
    log = Log()
    log.grow(FAILURE, now=0)
    first = log.watchman.due(QUIET_S)
    log.grow(CALM, "ValueError: another", now=10)
    second = log.watchman.due(10 + QUIET_S)

    assert first.fresh is None
    assert second.fresh_text().decode().split("\n") == [CALM, "ValueError: another"]


def test_with_a_banner_all_of_a_start_belongs_together():
    log = Log()
    log.grow(BANNER, FAILURE, now=0)
    log.watchman.due(QUIET_S)
    log.grow(GIVEN_UP, now=10)

    assert log.watchman.due(10).fresh is None


def test_a_last_line_without_an_end_counts_and_is_handed_over_once():
    log = Log()
    log.grow(BANNER, now=0)

    assert log.watchman.due(0, FAILURE.encode()) is None
    assert text(log.watchman.due(QUIET_S, FAILURE.encode())) == [BANNER, FAILURE]
    assert log.watchman.due(100, FAILURE.encode()) is None


def test_lines_that_turned_out_to_be_no_failure_are_looked_at_less_and_less_often():
    log = Log()
    looks = 0
    for now in range(1000):
        log.grow("INFO errors=0", now=now)
        case = log.watchman.due(now)
        if case:
            looks += 1
            log.watchman.was_nothing(case, now)

    assert 10 < looks < 25


def test_a_start_of_any_length_is_kept_in_bounded_memory_with_both_its_ends():
    log = Log()
    for number in range(3_000):
        log.grow(*[f"{number} {CALM}"] * 20)
    log.grow("INFO last", FAILURE)
    case = log.watchman.end(0)
    lines = text(case)

    assert len(case.text()) < 600_000
    assert lines[0] == f"0 {CALM}"
    assert lines[-2:] == ["INFO last", FAILURE]
    assert case.log.number(len(lines)) == 60_002
    assert case.log.number(1) == 1


@given(st.lists(st.sampled_from([BANNER, DRAWN, CALM, FAILURE, STARTED, GIVEN_UP]), max_size=30), st.data())
def test_however_lines_arrive_the_same_starts_are_handed_over(texts, data):
    whole, pieces = Log(), Log()
    expected = [text(case) for case in whole.grow(*texts)]
    found = []
    while texts:
        size = data.draw(st.integers(1, len(texts)))
        found += [text(case) for case in pieces.grow(*texts[:size])]
        texts = texts[size:]

    assert found == expected


def test_a_restart_loop_is_one_incident_with_a_count():
    known = KnownFailures()

    assert [known.count("f", Status.DIAGNOSED, start, now=start) for start in range(5)] == [1, 2, 3, 4, 5]


def test_a_failure_seen_twice_in_one_start_counts_once():
    known = KnownFailures()

    assert [known.count("f", Status.DIAGNOSED, 7, now=0) for _ in range(3)] == [1, 0, 0]


def test_another_failure_is_another_incident():
    known = KnownFailures()

    assert [known.count(name, Status.UNKNOWN, 7, now=0) for name in "ab"] == [1, 1]


def test_the_wrapper_of_a_failure_that_was_told_is_not_told():
    known = KnownFailures()
    known.count("cause", Status.DIAGNOSED, 7, now=0)

    assert known.count("wrapper", Status.NEED_MORE, 7, now=1) == 0
    assert known.count("wrapper", Status.NEED_MORE, 8, now=1) == 1


def test_a_failure_is_over_when_it_did_not_come_back_for_an_hour():
    known = KnownFailures()

    assert known.count("f", Status.DIAGNOSED, 1, now=0) == 1
    assert known.count("f", Status.DIAGNOSED, 2, now=3599) == 2
    assert known.count("f", Status.DIAGNOSED, 3, now=3599 + 3600) == 1


def test_a_failure_is_over_when_the_server_answered_for_a_while():
    known = KnownFailures()
    known.count("f", Status.DIAGNOSED, 1, now=0)

    assert known.count("f", Status.DIAGNOSED, 2, now=300, started_at=200) == 2
    assert known.count("f", Status.DIAGNOSED, 3, now=1500, started_at=500) == 1


def test_failures_without_end_take_bounded_memory():
    known = KnownFailures()
    for number in range(5_000):
        known.count(str(number), Status.UNKNOWN, number, now=0)

    assert len(known.raised) <= 200


def test_counts_are_told_less_and_less_often():
    assert [number for number in range(1, 300) if is_worth_saying(number)] == [2, 5, 10, 20, 50, 100, 200]


def test_a_start_that_says_nothing_any_more_is_handed_over_once():
    log = Log()
    log.grow(BANNER, CALM, now=0)

    assert log.watchman.due(599) is None
    assert log.watchman.due(600).is_stalled
    assert log.watchman.due(6000) is None


def test_a_server_that_answers_may_be_silent():
    log = Log()
    log.grow(BANNER, CALM, STARTED, now=0)

    assert log.watchman.due(6000) is None
