"""A host that is cleaned up after each test."""

import pytest

from tests.hosts.helper.gpu_host import GpuHost


@pytest.fixture
def host(tmp_path):
    found = GpuHost(tmp_path)
    yield found
    found.clean()
