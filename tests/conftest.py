"""What every test starts from: patient property tests, and an environment without the operator's settings."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# A busy machine must not decide whether a property holds, nor chance whether a change lands: `make test` draws
# the same examples every time, `make fuzz` looks for new ones.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "searching",
    deadline=None,
    derandomize=False,
    max_examples=2_000,
    suppress_health_check=[HealthCheck.too_slow],
)
# Started in the background a shell lets us ignore Ctrl-C, and the programs that we start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(autouse=True, scope="session")
def _no_settings_of_the_operator():
    """Forget variables that would steer the program under test."""
    for name in [name for name in os.environ if name.startswith(("VLLM_", "SLACK_", "DISCORD_"))]:
        del os.environ[name]
