"""A host of containers that is cleaned up after each test."""

import pytest

from tests.hosts.docker.docker_host import DockerHost


@pytest.fixture
def host(tmp_path, engine_address):
    found = DockerHost(tmp_path, engine_address)
    yield found
    found.clean()
