"""What a rule would relaunch with is nothing that every host refuses."""

import pytest
import yaml

from adapters.hosts.helper.host.never import is_never_env, is_never_flag
from tests.hosts.helper.gpu_host import ROOT

RULES = sorted((ROOT / "rules" / "catalogue").glob("*/*/rule.yaml"))


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.parent.name)
def test_no_relaunchable_fix_changes_what_is_never_changed(path):
    fixes = [fix for fix in yaml.safe_load(path.read_text()).get("fixes") or [] if fix.get("relaunchable")]
    changes = [fix.get("change") or {} for fix in fixes]
    variables = [
        name for change in changes for kind in ("env_unset", "env_set") for name in change.get(kind, ())
    ]
    flags = [
        name for change in changes for kind in ("flags_unset", "flags_set") for name in change.get(kind, ())
    ]

    assert [name for name in variables if is_never_env(name)] == []
    assert [name for name in flags if is_never_flag(name)] == []
