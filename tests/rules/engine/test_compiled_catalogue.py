"""The catalogue is compiled once, and a warm start needs neither YAML nor its checks."""

import json
import shutil
import subprocess
import sys

import pytest

from rules.engine.cache_folder import CacheFolder
from rules.engine.compiled import compiled_catalogue
from rules.engine.matching.scan.scanner import HyperscanScanner
from rules.engine.rule.catalogue import SHIPPED


@pytest.fixture
def cache(tmp_path):
    return CacheFolder(tmp_path / "cache")


def test_a_warm_catalogue_is_the_one_that_was_compiled(cache):
    cold, warm = compiled_catalogue(cache), compiled_catalogue(cache)

    assert warm.index == cold.index
    assert warm.plain == json.loads(json.dumps(cold.plain))
    rule_id = cold.index.signals[0].rule
    assert warm.rule(rule_id) == cold.rule(rule_id)
    assert warm.rule(rule_id).id == rule_id


def test_warm_and_cold_scanners_find_the_same(cache):
    cold, warm = compiled_catalogue(cache), compiled_catalogue(cache)
    block = b"\n".join(key.data for key in cold.index.keys)

    assert warm.scanner().scan(block) == cold.scanner().scan(block) != []


def test_changed_rules_are_compiled_anew(cache, tmp_path):
    folder = tmp_path / "catalogue"
    shutil.copytree(SHIPPED, folder)
    before = compiled_catalogue(cache, folder)
    text = next(folder.rglob("text/en.md"))
    text.write_text(
        text.read_text(encoding="utf-8").replace("## Cause\n", "## Cause\nAnother word. "), encoding="utf-8"
    )

    assert compiled_catalogue(cache, folder).plain != before.plain


def test_threads_get_scanners_of_their_own(cache):
    compiled = compiled_catalogue(cache)

    assert compiled.scanner() is not compiled.scanner()


def test_a_database_of_another_build_is_replaced_by_a_new_one(cache):
    compiled = compiled_catalogue(cache)
    broken = type(compiled)(compiled.plain, compiled.index, b"of another processor")
    block = compiled.index.keys[0].data

    assert broken.scanner().scan(block) == compiled.scanner().scan(block)


def test_a_warm_start_imports_neither_yaml_nor_pydantic(tmp_path):
    code = (
        "import sys; from pathlib import Path; from rules.engine.cache_folder import CacheFolder; "
        "from rules.engine.compiled import compiled_catalogue; "
        "from rules.engine.matching.verifying import Matcher; import rules.engine.diagnose; "
        "c = compiled_catalogue(CacheFolder(Path(sys.argv[1]))); Matcher(c.index, c.scanner()); "
        "print({'yaml', 'pydantic'} & set(sys.modules))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code, tmp_path / "c"], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]

    assert runs[1].stdout.strip() == "set()"


def test_the_database_is_kept_only_where_hyperscan_made_it(cache):
    compiled = compiled_catalogue(cache)

    assert (compiled.database is not None) is isinstance(compiled.scanner(), HyperscanScanner)
