"""A host that is cleaned up after each test."""

import pytest

from tests.hosts.helper.gpu_host import GpuHost


@pytest.fixture
def new_host(tmp_path, monkeypatch):
    """Makes hosts, each in a folder of its own; the last one's programs are first in PATH."""
    hosts = []

    def make() -> GpuHost:
        folder = tmp_path / str(len(hosts))
        folder.mkdir()
        hosts.append(GpuHost(folder))
        monkeypatch.setenv("PATH", hosts[-1].environment()["PATH"])
        return hosts[-1]

    yield make
    for host in hosts:
        host.clean()


@pytest.fixture
def host(new_host):
    return new_host()
