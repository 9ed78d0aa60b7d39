"""A host's name is looked up once, and addresses that nobody means are refused."""

import pytest

from bot.hosts.addresses import BadAddressError, pinned


async def nobody(_name):
    raise OSError(None, "Name or service not known")


def answering(*found):
    async def lookup(_name):
        return found

    return lookup


@pytest.mark.parametrize("address", ["10.0.0.5", "192.0.2.7", "2001:db8::5", "fd00::7"])
async def test_an_ordinary_address_is_taken_as_it_is(address):
    assert await pinned(address, frozenset(), nobody) == address


async def test_a_name_is_looked_up_once_and_its_address_is_what_counts():
    assert await pinned("gpu1", frozenset(), answering("10.0.0.5", "10.0.0.6")) == "10.0.0.5"


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("127.8.8.8", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("169.254.1.1", "link-local"),
        ("fe80::1", "link-local"),
        ("169.254.169.254", "metadata"),
        ("::ffff:169.254.169.254", "metadata"),
        ("fd00:ec2::254", "metadata"),
        ("100.100.100.200", "metadata"),
        ("0.0.0.0", "unspecified"),  # noqa: S104 (refused, not bound)
        ("::", "unspecified"),
        ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"),
        ("240.0.0.1", "reserved"),
    ],
)
async def test_special_addresses_are_refused_by_number_and_by_name(address, kind):
    for given, lookup in (
        (address, nobody),
        ("gpu1", answering(address)),
        ("gpu1", answering("10.0.0.5", address)),
    ):
        with pytest.raises(BadAddressError, match=f"is a {kind} address"):
            await pinned(given, frozenset(), lookup)


async def test_an_entry_may_say_that_such_an_address_is_meant_but_never_metadata():
    assert await pinned("127.0.0.1", frozenset({"loopback"}), nobody) == "127.0.0.1"
    with pytest.raises(BadAddressError, match="name another address"):
        await pinned("169.254.169.254", frozenset({"loopback", "link-local", "metadata-no"}), nobody)
    with pytest.raises(BadAddressError, match=r"special_addresses: \[loopback\]"):
        await pinned("127.0.0.1", frozenset({"link-local"}), nobody)


async def test_a_name_that_nobody_knows_is_said_so():
    with pytest.raises(
        BadAddressError, match=r"gpu9 is not known \(Name or service not known\); check the name"
    ):
        await pinned("gpu9", frozenset(), nobody)
    with pytest.raises(BadAddressError, match="has no address"):
        await pinned("gpu9", frozenset(), answering())
