"""What a card may offer in a channel: only what the registry lists for that channel, and only while it counts."""

import pickle
from dataclasses import replace
from datetime import timedelta

from bot.hosts.registry import Registry
from bot.relaunch.scope import NOTHING, scope_of
from tests.bot.relaunch.team import CHANNEL, NOON, a_policy, a_registry

TODAY = NOON.date()


def registry(**values):
    return Registry(a_registry(**values).hosts, a_policy())


def names(found):
    return [server.name for _, server in found.servers()]


def test_a_server_is_offered_in_its_channels_for_what_its_entry_lists():
    both = registry(operations=frozenset({"fetch", "sweep"}))

    here = scope_of(both, CHANNEL, TODAY)
    assert (here.can_relaunch, here.can_sweep, names(here.fetchable)) == (True, True, ["qwen"])
    there = scope_of(both, "slack:T1:OTHER", TODAY)
    assert (there.can_relaunch, there.can_sweep, names(there.fetchable)) == (True, False, [])
    unlisted = scope_of(registry(), CHANNEL, TODAY)
    assert (unlisted.can_sweep, names(unlisted.fetchable), names(unlisted.registry)) == (False, [], ["qwen"])


def test_an_expired_entry_offers_nothing():
    (host,) = registry(operations=frozenset({"fetch"})).hosts
    expired = Registry((replace(host, expires=TODAY - timedelta(days=1)),), a_policy())

    assert names(scope_of(expired, CHANNEL, TODAY).registry) == []


def test_what_was_fetched_once_is_not_offered_again():
    here = scope_of(registry(operations=frozenset({"fetch", "sweep"})), CHANNEL, TODAY)

    assert names(replace(here, is_fetched=True).fetchable) == []
    assert replace(here, is_fetched=True).can_sweep


def test_a_scope_goes_to_worker_processes_and_allows_nobody_anything():
    here = pickle.loads(pickle.dumps(scope_of(registry(), CHANNEL, TODAY)))  # noqa: S301 (made right here)

    assert names(here.registry) == ["qwen"]
    assert dict(here.registry.policy.members) == {}
    assert pickle.loads(pickle.dumps(NOTHING)) == NOTHING  # noqa: S301 (as above)
