"""A host of units, whose servers start afresh for each test."""

import pytest

from tests.hosts.systemd.unit_host import UnitHost


@pytest.fixture
async def host(machine, tmp_path):
    found = UnitHost(machine, tmp_path)
    yield found
    await found.clean()
