"""One engine of containers and one machine with systemd for all tests of hosts; they start when first asked for."""

import pytest

from tests.hosts.docker import engine
from tests.hosts.systemd import machine as machines


@pytest.fixture(scope="session")
def engine_address(tmp_path_factory):
    """The address of a dockerd that only these tests use."""
    yield from _running(engine, tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    """A machine that was started like one, with OpenSSH on an address of its own."""
    yield from _running(machines, tmp_path_factory.mktemp("machine"))


def _running(kind, folder):
    """Start one in a folder, and end it after the last test; where it cannot run, its tests are skipped."""
    reason = kind.missing()
    if reason is not None:
        pytest.skip(reason)
    with kind.running(folder) as found:
        yield found
