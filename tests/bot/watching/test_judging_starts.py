"""What of a start is worth telling: failures, once they are whole, and no remarks of servers that answer."""

import pytest

from bot.watching.judging import judge
from bot.watching.lines import LineCutter
from bot.watching.watchman import Watchman
from rules.engine.paste.facts import Given
from rules.engine.report import Status
from rules.engine.start import start_engine

BANNER = "(APIServer pid=1) INFO 11-28 07:55:02 [api_server.py:1977] vLLM API server version 0.11.2"
FAILURE = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
WRAPPER = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"
REMARK = (
    "WARNING 05-20 10:10:10 [envs.py:1900] Unknown vLLM environment variable detected: VLLM_USE_V1, errors=0"
)
NCCL = "(Worker_TP0 pid=411) INFO 11-26 02:11:09 [pynccl.py:103] vLLM is using nccl==2.27.5"
REQUEST = (
    "INFO:     Application startup complete.",
    "ERROR 11-28 08:00:09 [serving_chat.py:240] Error in preprocessing prompt inputs",
    "ERROR 11-28 08:00:09 [serving_chat.py:240] Traceback (most recent call last):",
    "ERROR 11-28 08:00:09 [serving_chat.py:240] ValueError: the prompt is longer than the model allows",
)


@pytest.fixture(scope="module")
def engine():
    return start_engine()


class Log:
    def __init__(self, engine, given=None):
        self.engine = engine
        self.given = given or Given()
        self.watchman = Watchman(5.0)
        self.cutter = LineCutter()

    def finding(self, *texts, now=0.0, silence=5.0):
        lines = self.cutter.cut("".join(f"{text}\n" for text in texts).encode())
        self.watchman.take(lines, now)
        case = self.watchman.due(now + silence)
        return case and judge(self.engine, case, self.given, "en")


def test_a_failure_is_worth_telling(engine):
    finding = Log(engine).finding(BANNER, FAILURE)

    assert (finding.is_worth_raising, finding.report.status) == (True, Status.DIAGNOSED)


def test_half_of_a_failure_waits_for_the_rest(engine):
    log = Log(engine)
    early = log.finding(BANNER, WRAPPER, silence=0)
    final = log.finding(silence=5.0)

    assert (early.is_worth_raising, early.report.status) == (False, Status.NEED_MORE)
    assert (final.is_worth_raising, final.report.status) == (True, Status.NEED_MORE)


def test_what_explains_itself_does_not_wait(engine):
    assert Log(engine).finding(BANNER, FAILURE, WRAPPER, silence=0).is_worth_raising


def test_a_remark_in_spite_of_which_servers_start_is_not_told(engine):
    finding = Log(engine).finding(BANNER, REMARK)

    assert (finding.is_worth_raising, finding.report.status) == (False, Status.DIAGNOSED)


def test_a_start_that_hangs_is_told_if_a_rule_knows_where(engine):
    known = Log(engine).finding(BANNER, NCCL, silence=600)
    unknown = Log(engine).finding(BANNER, silence=600)

    assert (known.is_worth_raising, known.report.diagnoses[0].rule) == (True, "nccl-start-stops")
    assert not unknown.is_worth_raising


@pytest.mark.parametrize("given", [Given(), Given(vllm_version="0.11.2", gpu="H100", model="m")])
def test_a_refused_request_is_no_failure_whatever_is_known_of_the_machine(engine, given):
    assert not Log(engine, given).finding(BANNER, *REQUEST).is_worth_raising


def test_the_machine_decides_what_mends_a_failure(engine):
    finding = Log(engine, Given(gpu="T4")).finding(BANNER, FAILURE)

    assert finding.report.facts.compute_capability == "7.5"


def test_without_a_banner_another_failure_is_told_apart_from_the_one_before(engine):
    log = Log(engine)
    first = log.finding(FAILURE)
    second = log.finding("vllm.odd.OddError: the flux is inverted", WRAPPER, now=10)
    third = log.finding(WRAPPER, now=20)

    assert len({first.fingerprint, second.fingerprint}) == 2
    # a wrapper alone belongs to what came before
    assert third.fingerprint == first.fingerprint


def test_an_event_has_the_same_id_whenever_it_is_read_and_another_where_it_is_another(engine):
    ids = {Log(engine).finding(BANNER, FAILURE).event_id((1, inode)) for inode in (2, 2, 3)}

    assert len(ids) == 2
    assert Log(engine).finding("another life", BANNER, FAILURE).event_id((1, 2)) not in ids


def test_a_server_that_answered_and_died_is_told(engine):
    died = (
        "ERROR 11-28 09:00:00 [async_llm.py:480] vllm.v1.engine.exceptions.EngineDeadError: EngineCore died"
    )

    assert (
        Log(engine)
        .finding(BANNER, *REQUEST, "torch.OutOfMemoryError: CUDA out of memory.", died)
        .is_worth_raising
    )


def test_a_launch_that_is_refused_after_a_server_ended_is_told(engine):
    refused = "vllm serve: error: unrecognized arguments: --enable-warp-drive"

    assert Log(engine).finding(BANNER, "INFO:     Application startup complete.", refused).is_worth_raising


def test_a_program_that_cannot_even_be_imported_after_a_server_was_killed_is_told(engine):
    lines = (
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/vllm", line 5, in <module>',
        "    from vllm.entrypoints.cli.main import main",
        "ModuleNotFoundError: No module named 'vllm._C'",
    )

    assert Log(engine).finding(BANNER, "INFO:     Application startup complete.", *lines).is_worth_raising
