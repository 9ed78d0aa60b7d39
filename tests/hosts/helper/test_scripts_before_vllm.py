"""What stands between a launch and vLLM is told from the launch's words, and from files where there are some."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.helper.launch import wrapper
from adapters.hosts.helper.launch.spec import Spec

SERVE = ["vllm", "serve", "Qwen/Qwen3-8B"]


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "run.sh"
    path.write_text("#!/usr/bin/env bash\nexport A=1\nexec vllm serve m\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "before",
    [
        [],
        ["nice"],
        ["nice", "-n", "10"],
        ["numactl", "-N", "0-3", "--"],
        ["env", "-u", "X", "A=1"],
        ["tini", "--"],
        ["tini", "--", "taskset", "-c", "0,2"],
    ],
)
@pytest.mark.parametrize("shell", [[], ["bash"], ["sh", "-e"], ["bash", "-e", "-o", "pipefail", "--"]])
def test_a_script_is_seen_behind_what_only_starts_it(script, before, shell):
    found = wrapper.script(Spec((*before, *shell, str(script), "--port", "1"), {"PATH": "/usr/bin"}))

    assert found is not None
    assert found.name == str(script)
    assert "export A=1" in found.read()


@pytest.mark.parametrize("options", [["-c"], ["-lc"], ["-e", "-c"], ["-o", "pipefail", "-ec"]])
def test_the_text_of_a_shell_is_its_script(options):
    text = "export A=1; env -i vllm serve m"
    found = wrapper.script(Spec(("bash", *options, text), {"PATH": "/usr/bin"}))

    assert found is not None
    assert found.read() == text
    assert wrapper.obstacle(found) == "env -i"


@pytest.mark.parametrize(
    "argv", [SERVE, ["python3", "-m", "vllm.entrypoints.openai.api_server"], ["nice", *SERVE]]
)
def test_vllm_itself_is_no_script_here_or_elsewhere(argv):
    spec = Spec(tuple(argv), {"PATH": "/usr/bin"})

    assert wrapper.script(spec) is None
    assert wrapper.script_elsewhere(spec, lambda name: name) is None


def test_elsewhere_whatever_is_not_python_is_taken_for_a_script():
    asked = []
    found = wrapper.script_elsewhere(
        Spec(("/opt/nvidia/entrypoint.sh", *SERVE), {}), lambda name: asked.append(name) or "sudo vllm"
    )

    assert found is not None
    assert asked == []
    assert wrapper.obstacle(found) == "sudo"
    assert asked == ["/opt/nvidia/entrypoint.sh"]


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=12), min_size=1, max_size=6))
def test_no_launch_is_too_odd_to_be_looked_at(words):
    spec = Spec(tuple(words), {"PATH": "/nowhere"})
    for found in (wrapper.script_elsewhere(spec, lambda _: ""), wrapper.script(spec)):
        assert found is None or isinstance(wrapper.obstacle(found), str | None)
