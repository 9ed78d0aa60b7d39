"""What the settings of a launch say about a failure elsewhere."""

from dataclasses import replace

import pytest

from adapters.hosts.records import Launch
from bot.hosts.registry import Registry
from bot.relaunch.choosing import NoSuchFixError, remedy_for
from bot.relaunch.offer import Offer
from bot.relaunch.sweeping import Fate, Sweeping, judged
from rules.engine.report import Change, FixKind
from tests.bot.relaunch.team import OLD_FAILURE, a_registry, a_remedy, a_team
from tests.bot.relaunch.test_every_act_by_everybody import SETTER, a_policy
from tests.fakes.host import MODEL, Fault

OFFER = Offer("vit-backend-rejected", 1, OLD_FAILURE, (a_remedy(),), True, MODEL, None)
BROKEN = {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}
SERVER = a_registry().hosts[0].servers[0]


@pytest.mark.parametrize(
    ("env", "version", "model", "fate"),
    [
        (BROKEN, "0.11.2", MODEL, Fate.LIKELY),
        (BROKEN, "0.11.2", "other", Fate.POSSIBLE),
        (BROKEN, None, MODEL, Fate.POSSIBLE),
        (BROKEN, "0.13.0", MODEL, Fate.CLEAR),
        ({}, "0.11.2", MODEL, Fate.CLEAR),
    ],
)
def test_a_setting_counts_with_its_release_and_model(env, version, model, fate):
    found, reason = judged(
        OFFER, replace(SERVER, model=model), Launch(("vllm", "serve", "m"), env, "h"), version
    )

    assert found is fate
    assert str(reason).endswith(".")
    assert reason.in_language("zh").endswith("。")


@pytest.mark.parametrize(
    ("argv", "fate"),
    [
        (("--dtype", "half"), Fate.LIKELY),
        (("--dtype=half",), Fate.LIKELY),
        (("--dtype", "auto"), Fate.CLEAR),
        ((), Fate.CLEAR),
    ],
)
def test_a_flag_that_already_is_what_the_fix_sets_is_no_sign(argv, fate):
    remedy = a_remedy(kind=FixKind.SET_FLAG, change=Change(flags_set={"--dtype": "auto"}))
    offer = replace(OFFER, remedies=(remedy,))

    assert judged(offer, SERVER, Launch(("vllm", "serve", *argv), {}, "h"), "0.11.2")[0] is fate


def test_the_fix_for_the_server_s_release_is_chosen_and_one_may_be_named():
    older, newer = a_remedy(id="a", releases="<0.11"), a_remedy(id="b", releases=">=0.11")
    offer = replace(OFFER, remedies=(older, newer))

    assert remedy_for(offer, "0.11.2") is newer
    assert remedy_for(offer, None) is older
    assert remedy_for(offer, "a fork") is older
    assert remedy_for(offer, "0.11.2", "a") is older
    with pytest.raises(NoSuchFixError, match="there is a, b"):
        remedy_for(offer, "0.11.2", "c")


class Knows:
    """A preflight that finds one rule's fault."""

    async def faults(self, launch):
        assert "<masked>" not in launch.env.values()
        return {OFFER.rule: "It would not start."}


async def test_the_preflight_wins_and_a_silent_host_is_unknown(tmp_path):
    registry = Registry(a_registry(operations=frozenset({"sweep"})).hosts, a_policy())
    async with a_team(tmp_path, registry=registry) as team:
        sweeping = Sweeping(team.permission, team.find_host, Knows(), team.journal, team.now)

        (found,) = await sweeping.sweep(SETTER, OFFER)
        team.host.faults = [Fault("snapshot", "unreachable")]
        (silent,) = await sweeping.sweep(SETTER, OFFER)

        assert (found.fate, found.reason) == (Fate.WOULD_FAIL, "It would not start.")
        assert silent.fate is Fate.UNKNOWN
        assert [entry["outcome"] for entry in await team.journalled()][-1] == "failed"
        assert team.host.effects == []
