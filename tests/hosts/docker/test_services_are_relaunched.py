"""A service of a compose file is relaunched by a real compose and a real engine, and stays compose's own."""

import pytest

from tests.hosts.docker.composed import Composed
from tests.hosts.helper.gpu_host import BACKEND, HelperRefusedError

pytestmark = pytest.mark.root
UNSET = {"env_unset": [BACKEND]}


@pytest.fixture
def service(host):
    found = Composed(host)
    yield found
    found.clean()


def test_a_variable_of_an_env_file_is_really_gone_and_compose_leaves_the_service_alone(host, service):
    service.up()
    host.stop()
    started = host.start(UNSET)
    status = host.serving()
    host.commit()

    assert BACKEND not in status["running"]["env"]
    assert status["running_spec_hash"] == started["spec_hash"]
    assert "up-to-date" in service.up()
    assert host.status()["start_id"] == started["start_id"]


def test_an_owner_who_changes_the_file_is_followed(host, service):
    service.up()
    host.stop()
    host.start(UNSET)
    host.serving()
    host.commit()

    service.file.write_text(
        service.file.read_text().replace("    command:", "    environment: {NCCL_DEBUG: INFO}\n    command:")
    )
    service.up()

    assert host.ask("snapshot", server=host.name)["launch"]["env"][BACKEND] == "FLASHINFER"


def test_the_earlier_launch_comes_back(host, service):
    service.up()
    host.stop()
    host.start(UNSET)
    host.serving()

    host.restore()

    assert host.ended()["exit_code"] == 1
    assert host.ask("snapshot", server=host.name)["launch"]["env"][BACKEND] == "FLASHINFER"


def test_a_service_that_was_never_up_is_refused(host, service):
    with pytest.raises(HelperRefusedError, match="bring it up once with compose"):
        host.stop()
