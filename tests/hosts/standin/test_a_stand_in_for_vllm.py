"""The stand-in behaves as vLLM does where the helper and the bot look: its log, its children, its ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from adapters.hosts.helper.processes import proc
from adapters.hosts.standin.lying import LIES
from adapters.hosts.standin.options import FAULTS
from rules.engine.start import start_engine
from tests.hosts.helper.gpu_host import BACKEND, MODEL, REFUSED, STANDIN, free_port, until


class Standin:
    """One of them, with its output in a file."""

    def __init__(self, folder, *flags: str, env: dict[str, str] | None = None) -> None:
        self.port = free_port()
        self.log = folder / "log"
        argv = [sys.executable, "-S", "-E", str(STANDIN), "serve", MODEL, "--port", str(self.port), *flags]
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                argv, stdout=out, stderr=out, env=env or {}, start_new_session=True
            )

    def text(self) -> str:
        return self.log.read_text()

    def get(self, path: str, headers: dict[str, str] | None = None) -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - loopback
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def children(self) -> list[int]:
        return [
            one.pid for one in proc.everyone() if one.sid == self.process.pid and one.pid != self.process.pid
        ]

    def ready(self) -> "Standin":
        until("it serves", lambda: "startup complete" in self.text())
        return self

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)


@pytest.fixture(scope="module")
def engine():
    return start_engine()


@pytest.fixture
def standin(tmp_path):
    made = []

    def make(*flags: str, env: dict[str, str] | None = None) -> Standin:
        made.append(Standin(tmp_path, *flags, env=env))
        return made[-1]

    yield make
    for one in made:
        one.end()


def test_with_flashinfer_it_dies_as_the_seed_case_does_and_the_rules_know_it(standin, engine):
    dying = standin(env={BACKEND: "FLASHINFER"})

    assert dying.process.wait(60) == 1
    report = engine.diagnose(dying.text())
    assert REFUSED in dying.text()
    assert "Engine core initialization failed" in dying.text()
    assert report.diagnoses[0].rule == "vit-backend-rejected"


def test_without_it_serves_and_its_log_is_no_incident(standin, engine):
    serving = standin().ready()

    assert serving.get("/health") == 200
    assert "Using FLASH_ATTN backend." in serving.text()
    assert engine.diagnose(serving.text()).status == "not-an-incident"


def test_its_engine_has_a_title_and_no_environment_to_read(standin):
    (engine,) = standin().ready().children()

    assert proc.name(engine) == "VLLM::EngineCore"
    assert proc.environ(engine) is None


def test_the_polite_signal_ends_it_with_its_engine(standin):
    serving = standin().ready()
    serving.process.terminate()

    assert serving.process.wait(30) == 0
    until("its engine is gone", lambda: serving.children() == [])


def test_a_killed_server_leaves_its_engine_behind(standin):
    serving = standin().ready()
    serving.process.kill()
    serving.process.wait(30)

    assert [proc.name(pid) for pid in serving.children()] == ["VLLM::EngineCore"]


def test_a_killed_engine_makes_it_sick_and_then_end_with_exit_code_zero(standin):
    serving = standin("--standin-engine-death=1").ready()
    os.kill(serving.children()[0], signal.SIGKILL)

    until("it is sick", lambda: serving.get("/health") == 503)
    assert serving.process.wait(30) == 0


def test_a_key_is_asked_for(standin):
    serving = standin(env={"VLLM_API_KEY": "k"}).ready()

    assert serving.get("/v1/models") == 401
    assert serving.get("/v1/models", {"Authorization": "Bearer k"}) == 200
    assert serving.get("/health") == 200


def test_a_port_that_is_held_ends_it(standin):
    first = standin().ready()
    second = standin("--port", str(first.port))

    assert second.process.wait(30) == 1
    assert "Errno 98" in second.text()


@pytest.mark.parametrize(("env", "is_honest"), [({BACKEND: "FLASH_ATTN"}, True), ({}, False)])
def test_it_can_be_honest_with_a_variable_and_lie_without_it(standin, env, is_honest):
    serving = standin("--standin-faults=no-backend-line", f"--standin-honest-with={BACKEND}", env=env).ready()

    assert ("Using FLASH_ATTN backend." in serving.text()) is is_honest


def test_every_lie_about_completions_is_a_fault_that_can_be_asked_for():
    assert set(LIES) <= set(FAULTS)


def test_its_ledger_has_a_line_for_each_start(standin, tmp_path):
    ledger = tmp_path / "ledger"
    serving = standin(f"--standin-ledger={ledger}", env={BACKEND: "FLASH_ATTN"}).ready()

    (line,) = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert line["pid"] == serving.process.pid
    assert line["env"] == {BACKEND: "FLASH_ATTN"}


@pytest.mark.parametrize("flag", ["--standin-faults=sorcery", "--standin-magic=1", "--port=many"])
def test_an_option_that_is_none_is_told_in_one_line(standin, flag):
    wrong = standin(flag)

    assert wrong.process.wait(30) == 64
    assert wrong.text().startswith("stand-in: ")
    assert wrong.text().count("\n") == 1
