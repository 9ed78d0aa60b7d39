"""The helper is one file: the same bytes from the same sources, for the Python that a GPU host happens to have."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.hosts.build import build, digest, write
from tests.hosts.helper.gpu_host import BACKEND, NOTHING, ROOT, GpuHost

PACKAGE = ROOT / "adapters" / "hosts" / "helper"
MODULES = sorted(PACKAGE.rglob("*.py"))
OLDEST = (3, 8)


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    target = tmp_path_factory.mktemp("archive") / "helper.pyz"
    write(target)
    return target


def name_of(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def other_pythons() -> list[str]:
    """Pythons of other releases that this machine has, the oldest first."""
    found: dict[int, str] = {}
    folders = [Path(folder) for folder in os.environ["PATH"].split(":") if "shims" not in folder]
    folders += (Path.home() / ".pyenv" / "versions").glob("*/bin")
    for minor in range(OLDEST[1], 15):
        for folder in folders:
            path = folder / f"python3.{minor}"
            if path.exists():
                found.setdefault(minor, str(path))
    return [path for minor, path in sorted(found.items()) if minor != sys.version_info.minor]


def test_the_same_sources_give_the_same_bytes(archive):
    assert digest(build()) == digest(archive.read_bytes())


def test_it_starts_as_a_program_of_its_own(archive):
    assert os.access(archive, os.X_OK)
    result = subprocess.run(
        [sys.executable, str(archive), "version"], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip()


def test_wrong_usage_is_told_with_the_contract_s_exit_code(archive):
    result = subprocess.run(
        [sys.executable, str(archive), "dance"], capture_output=True, text=True, check=False
    )

    assert result.returncode == 64
    assert result.stderr.startswith("usage: helper")


def test_a_server_is_relaunched_by_the_archive(tmp_path, archive):
    relaunch(GpuHost(tmp_path, archive))


@pytest.mark.slow
@pytest.mark.parametrize("python", other_pythons() or [None], ids=str)
def test_every_python_of_this_machine_can_run_it(tmp_path, archive, python):
    if python is None:
        pytest.skip("this machine has one Python only")
    relaunch(GpuHost(tmp_path, archive, python=python))


def relaunch(host: GpuHost) -> None:
    """A relaunch in which each step is a process of its own."""

    def send(verb: str, **said) -> dict:
        return host.result_of(host.send(host.request(verb, **said)))

    change = {**NOTHING, "env_unset": [BACKEND]}
    try:
        host.list_server(env={BACKEND: "FLASHINFER"})
        assert send("facts")["servers"] == [host.name]
        spec_hash = send("preflight", order=host.order("preflight"), change=change)["after"]["spec_hash"]
        send("stop", order=host.order("stop"), grace_seconds=5, restore_after_seconds=600)
        order = host.order("start")
        send("start", order=order, change=change, spec_hash=spec_hash, restore_after_seconds=600)
        host.serving()
        asked = {"server": host.name, "kinds": ["health"], "model": "", "timeout_seconds": 20}
        assert send("probe", **asked)["answers"][0]["status"] == 200
        assert send("commit", order=host.order("commit"))["phase"] == "committed"
        assert BACKEND not in send("status", server=host.name, log_offset=0, log_limit=0)["running"]["env"]
    finally:
        host.clean()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_written_for_the_oldest_python(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=OLDEST)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_nothing_but_the_standard_library_and_its_neighbours(path):
    depth = len(path.relative_to(PACKAGE).parts)
    foreign = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            foreign.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            foreign.add(node.module.partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= depth, f"line {node.lineno} reaches out of the package"

    # The judge runs in vLLM's own Python, where these are what it asks.
    assert foreign - sys.stdlib_module_names <= ({"vllm", "torch"} if path.stem == "judge" else set())


def test_what_is_written_down_of_a_server(tmp_path):
    host = GpuHost(tmp_path)
    try:
        host.stop()
        folder = host.state / host.name
        files = sorted(path.name for path in folder.iterdir() if path.suffix == ".json")
        assert files == ["deadman.json", "intent.json", "outcomes.json", "previous.json"]
        assert json.loads((folder / "intent.json").read_text())["phase"] == "stopped"
    finally:
        host.clean()
