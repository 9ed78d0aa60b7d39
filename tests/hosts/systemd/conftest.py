"""One machine with systemd for all tests of this folder; its servers start afresh for each."""

import pytest

from tests.hosts.systemd.machine import missing, running
from tests.hosts.systemd.unit_host import UnitHost


@pytest.fixture(scope="session")
def machine(tmp_path_factory):
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with running(tmp_path_factory.mktemp("machine")) as found:
        yield found


@pytest.fixture
async def host(machine, tmp_path):
    found = UnitHost(machine, tmp_path)
    yield found
    await found.clean()
