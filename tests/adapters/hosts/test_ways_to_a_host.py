"""Requests reach a helper and replies come back; what goes wrong on the way is told apart by what may have happened."""

import asyncio
import sys

import asyncssh
import pytest

from adapters.hosts.errors import BrokenHostError, HostUnreachableError, OutcomeUnknownError
from adapters.hosts.transport.local import LocalTransport
from adapters.hosts.transport.ssh import NoHostKeyError, SshAddress, SshKey, SshTransport
from tests.adapters.hosts.ssh_server import HELPER, SshServer

REQUEST = b'{"protocol":1,"verb":"facts"}'
ECHOED = b'{"protocol": 1, "ok": true, "result": {"protocol": 1, "verb": "facts"}}'


def local(how):
    return LocalTransport("gpu1", (sys.executable, str(HELPER), how), {"PATH": "/usr/bin:/bin"})


def transport_of(server, **changes):
    values = {"address": "127.0.0.1", "port": server.port, "user": "vllm", "host_keys": (server.pinned,)}
    return SshTransport("gpu1", (SshAddress(**{**values, **changes}),), SshKey(server.key_file))


@pytest.fixture(params=["local", "ssh"])
async def way(request, tmp_path):
    if request.param == "local":
        yield local
        return
    server = SshServer(tmp_path)
    async with server.listening():
        made = []

        def make(how):
            server.how = how
            made.append(transport_of(server))
            return made[-1]

        yield make
        for one in made:
            await one.close()


async def test_a_request_is_answered(way):
    assert await way("echo").run(REQUEST, 60) == ECHOED


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("mute", "ended with code 3"),
        ("complains", "Traceback: it is broken"),
        ("floods", "reply is too long"),
    ],
)
async def test_a_helper_that_ends_by_itself_without_an_answer_is_out_of_order(way, how, what):
    with pytest.raises(BrokenHostError, match=what):
        await way(how).run(REQUEST, 60)


async def test_a_helper_that_is_killed_leaves_the_outcome_open(way):
    with pytest.raises(OutcomeUnknownError, match="was killed"):
        await way("dies").run(REQUEST, 60)


async def test_a_helper_that_hangs_is_given_up_at_the_deadline(way):
    with pytest.raises(OutcomeUnknownError, match=r"did not answer within 0\.2 s"):
        await way("hangs").run(REQUEST, 0.2)


async def test_a_helper_that_is_not_there_is_said_to_be_missing(way):
    with pytest.raises(BrokenHostError, match="the helper is not there"):
        await way("absent").run(REQUEST, 60)


async def test_a_program_that_cannot_be_started_is_said_so(tmp_path):
    (tmp_path / "text").write_text("no program")
    for name in ("none", "text", "text/none"):
        missing = LocalTransport("gpu1", (str(tmp_path / name),), {})

        with pytest.raises(BrokenHostError, match="could not be started"):
            await missing.run(REQUEST, 60)


@pytest.fixture
async def server(tmp_path):
    one = SshServer(tmp_path)
    async with one.listening():
        yield one


async def test_one_connection_carries_many_requests(server):
    transport = transport_of(server)
    for _ in range(3):
        assert await transport.run(REQUEST, 60) == ECHOED
    await transport.close()

    assert server.logins == 1
    assert server.commands == ["vllm-diagnose-helper serve-request"] * 3


async def test_a_connection_that_was_lost_between_requests_is_made_anew(server):
    transport = transport_of(server)
    await transport.run(REQUEST, 60)
    server.cut()

    # the loss may only be noticed by the next request: nothing was started by it then
    for _ in range(2):
        try:
            assert await transport.run(REQUEST, 60) == ECHOED
            break
        except OutcomeUnknownError:
            continue
    else:
        pytest.fail("no connection was made anew")
    await transport.close()


async def test_a_connection_that_is_lost_under_a_request_leaves_the_outcome_open(server):
    server.how = "hangs"
    transport = transport_of(server)
    asked = asyncio.create_task(transport.run(REQUEST, 60))
    await server.started.wait()
    server.cut()

    with pytest.raises(OutcomeUnknownError):
        await asked
    await transport.close()


async def test_a_host_with_another_key_is_refused(server):
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()

    with pytest.raises(BrokenHostError, match="its host key is not the pinned one"):
        await transport_of(server, host_keys=(other,)).run(REQUEST, 60)
    assert server.commands == []


def test_a_host_without_a_pinned_key_is_never_asked():
    with pytest.raises(NoHostKeyError):
        SshAddress("127.0.0.1", 22, "vllm", ())


async def test_an_account_that_does_not_know_our_key_is_said_so(server, tmp_path):
    stranger = tmp_path / "stranger"
    stranger.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())
    address = SshAddress("127.0.0.1", server.port, "vllm", (server.pinned,))

    with pytest.raises(BrokenHostError, match="does not accept our key"):
        await SshTransport("gpu1", (address,), SshKey(stranger)).run(REQUEST, 60)


async def test_a_missing_key_file_is_said_so(server, tmp_path):
    address = SshAddress("127.0.0.1", server.port, "vllm", (server.pinned,))

    with pytest.raises(BrokenHostError, match="key"):
        await SshTransport("gpu1", (address,), SshKey(tmp_path / "none")).run(REQUEST, 60)


async def test_nobody_listening_means_that_nothing_happened(server):
    async with SshServer(server.folder).listening() as other:
        gone = transport_of(other)

    with pytest.raises(HostUnreachableError, match="no connection"):
        await gone.run(REQUEST, 60)


async def test_a_host_certificate_of_our_authority_is_accepted(tmp_path):
    authority = asyncssh.generate_private_key("ssh-ed25519")
    server = SshServer(tmp_path)
    certificate = authority.generate_host_certificate(server.host_key, "gpu1", principals=["gpu1.internal"])
    ours = authority.export_public_key().decode().strip()
    async with server.listening(server_host_keys=[(server.host_key, certificate)]):
        sound = transport_of(server, host_keys=(), host_authorities=(ours,), certified_name="gpu1.internal")
        other = transport_of(server, host_keys=(), host_authorities=(ours,), certified_name="gpu2.internal")

        assert await sound.run(REQUEST, 60) == ECHOED
        with pytest.raises(BrokenHostError):
            await other.run(REQUEST, 60)
        await sound.close()


async def test_a_host_behind_another_one_is_reached_through_it(tmp_path):
    (tmp_path / "jump").mkdir()
    (tmp_path / "gpu").mkdir()
    jump, gpu = SshServer(tmp_path / "jump"), SshServer(tmp_path / "gpu")
    gpu.user_key = jump.user_key
    async with jump.listening(forwards=True), gpu.listening():
        route = tuple(SshAddress("127.0.0.1", one.port, "vllm", (one.pinned,)) for one in (jump, gpu))
        transport = SshTransport("gpu1", route, SshKey(jump.key_file))

        assert await transport.run(REQUEST, 60) == ECHOED
        assert (jump.logins, gpu.logins) == (1, 1)
        assert jump.commands == []
        await transport.close()
