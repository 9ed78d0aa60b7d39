"""What took the place of a flag exists in the releases that lack the old one."""

import pytest

from rules.engine.preflight.checks.words.successors import SUCCESSORS, successor
from tests.rules.engine.preflight.asking import answers


@pytest.mark.parametrize("name", SUCCESSORS)
def test_the_old_flag_was_one_and_its_successors_come_when_it_goes(name):
    releases = answers().releases
    having = [version for version in releases.versions() if releases.get(version).flag(name) is not None]
    assert having, name

    gone = [version for version in releases.versions() if version > having[-1]]
    assert gone, name
    for version in gone:
        release = releases.get(version)
        found = successor(name, release)
        assert found is not None, (name, str(version))
        flag = release.flag(found.flag)
        assert flag is not None
        if found.value not in {None, "="} and flag.choices:
            assert found.value in flag.choices
