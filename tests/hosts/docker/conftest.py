"""One engine for all tests of this folder; a host that is cleaned up after each."""

import pytest

from tests.hosts.docker.docker_host import DockerHost
from tests.hosts.docker.engine import missing, running


@pytest.fixture(scope="session")
def engine_address(tmp_path_factory):
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with running(tmp_path_factory.mktemp("engine")) as address:
        yield address


@pytest.fixture
def host(tmp_path, engine_address):
    found = DockerHost(tmp_path, engine_address)
    yield found
    found.clean()
