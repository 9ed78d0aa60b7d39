"""What every test starts from: patient property tests, and an environment without the operator's settings."""

import os

import pytest
from hypothesis import HealthCheck, settings

# A busy machine must not decide whether a property holds.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture(autouse=True, scope="session")
def _no_settings_of_the_operator():
    """Forget variables that would steer the program under test."""
    for name in [name for name in os.environ if name.startswith(("VLLM_", "SLACK_", "DISCORD_"))]:
        del os.environ[name]
