"""The process dies at a point, and another one goes on: nothing twice, nothing lost, nothing unsaid.

A sample of the points; `make kill-matrix` looks at all of them and kills real processes.
"""

import pytest

from tests.bot.relaunch.dying import CASES, lives
from tests.fakes.host import FakeHost

#: points that are left out between two that are tried
_APART = 5


class ForgetfulHost(FakeHost):
    """Does what it is asked every time, as a host without keys would."""

    async def _act(self, verb, order, act):
        self.outcomes.clear()
        return await super()._act(verb, order, act)


@pytest.mark.parametrize("case", CASES)
async def test_a_run_survives_a_death_at_any_point(tmp_path, case):
    whole = await lives(tmp_path / "whole", *CASES[case], [[]])
    assert whole > 60

    await lives(tmp_path / "killed", *CASES[case], [[at] for at in range(3, whole + 1, _APART)])


async def test_a_host_that_forgets_keys_would_be_noticed(tmp_path):
    with pytest.raises(AssertionError):
        await lives(tmp_path, *CASES["kept"], [[at] for at in range(3, 60, _APART)], make=ForgetfulHost)


async def test_a_run_survives_many_deaths_in_a_row(tmp_path):
    await lives(tmp_path, *CASES["kept"], [[7] * 4, [5] * 9, [40, 2, 30, 2, 20, 2]])
