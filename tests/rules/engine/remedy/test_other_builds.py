"""Where another build is needed, no command names the package alone: an installer keeps the build that is there."""

import pytest

from rules.engine.paste.facts import Given
from rules.engine.start import start_engine


@pytest.mark.parametrize(
    ("paste", "gpu"),
    [
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "RTX 5090"),
        ("ImportError: libcudart.so.12: cannot open shared object file: No such file or directory", "H100"),
    ],
)
def test_the_sentence_says_which_build_and_nothing_is_installed_by_name(paste, gpu):
    given = Given(vllm_version="0.11.2", gpu=gpu, command="vllm serve m")

    fixes = start_engine().diagnose(paste, given).diagnoses[0].fixes

    assert any("build" in fix.summary for fix in fixes)
    assert not [line for fix in fixes for line in fix.commands if line.endswith("pip install 'vllm'")]
