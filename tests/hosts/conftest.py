"""One engine of containers and one machine with systemd for all tests of hosts; they start when first asked for."""

import pytest

from tests.hosts.docker import engine
from tests.hosts.systemd import machine as machines


@pytest.fixture(scope="session")
def engine_address(tmp_path_factory):
    """The address of a dockerd that only these tests use."""
    reason = engine.missing()
    if reason is not None:
        pytest.skip(reason)
    with engine.running(tmp_path_factory.mktemp("engine")) as address:
        yield address


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """A machine that was started like one, with OpenSSH on an address of its own."""
    reason = machines.missing()
    if reason is not None:
        pytest.skip(reason)
    with machines.running(tmp_path_factory.mktemp("machine")) as found:
        yield found
