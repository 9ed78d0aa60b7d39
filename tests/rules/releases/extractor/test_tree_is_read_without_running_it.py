import pytest

from rules.releases.extractor.tree import NotATreeError, NotLiteralError, Tree, dotted_name, literal


def test_a_folder_without_vllm_is_refused_with_what_to_give_instead(tmp_path):
    with pytest.raises(NotATreeError, match="give the folder of an unpacked wheel or sdist"):
        Tree(tmp_path)


def test_names_are_followed_through_imports_and_packages(tree_of):
    tree = tree_of(
        {
            "vllm/a.py": "from vllm.pack import Kind\nfrom . import envs\nimport vllm.deep.inner as inner\n",
            "vllm/pack/__init__.py": "from .real import Kind\n",
            "vllm/pack/real.py": "class Kind:\n    MEMBER = 3\n",
            "vllm/envs.py": "NAMES = {'X': 1}\n",
            "vllm/deep/__init__.py": "",
            "vllm/deep/inner.py": "def act():\n    pass\n",
        }
    )
    module = tree.module("vllm/a.py")

    places = {name: tree.resolve(module, name) for name in ("Kind", "Kind.MEMBER", "envs.NAMES", "inner.act")}

    assert {name: found[0].path for name, found in places.items()} == {
        "Kind": "vllm/pack/real.py",
        "Kind.MEMBER": "vllm/pack/real.py",
        "envs.NAMES": "vllm/envs.py",
        "inner.act": "vllm/deep/inner.py",
    }
    assert literal(places["Kind.MEMBER"][1]) == 3


def test_what_lies_outside_vllm_is_not_resolved(tree_of):
    tree = tree_of({"vllm/a.py": "import torch\nfrom json import loads\n"})

    module = tree.module("vllm/a.py")

    assert tree.resolve(module, "torch.Tensor") is None
    assert tree.resolve(module, "loads") is None
    assert tree.resolve(module, "nowhere") is None


def test_a_real_import_wins_over_a_stand_in_beside_it(tree_of):
    tree = tree_of(
        {
            "vllm/a.py": """
                from typing import TYPE_CHECKING, Any
                if TYPE_CHECKING:
                    from vllm.b import Options
                else:
                    Options = Any
            """,
            "vllm/b.py": "Options = ['x']\n",
        }
    )

    found = tree.resolve(tree.module("vllm/a.py"), "Options")

    assert found is not None
    assert found[0].path == "vllm/b.py"


def test_imports_in_a_circle_end(tree_of):
    tree = tree_of({"vllm/a.py": "from vllm.b import X\n", "vllm/b.py": "from vllm.a import X\n"})

    assert tree.resolve(tree.module("vllm/a.py"), "X") is None


def test_a_file_that_cannot_be_parsed_is_skipped_with_a_remark(tree_of):
    tree = tree_of({"vllm/new.py": "x = 1\ny = = 2\n", "vllm/fine.py": "z = 3\n"})

    assert tree.module("vllm/new.py") is None
    assert tree.module("vllm/fine.py") is not None
    assert [(remark.file, remark.line) for remark in tree.remarks] == [("vllm/new.py", 2)]


def test_third_party_code_is_not_listed(tree_of):
    tree = tree_of({"vllm/third_party/x.py": "", "vllm/b.py": "", "vllm/a/c.py": ""})

    assert tree.paths() == ("vllm/__init__.py", "vllm/a/c.py", "vllm/b.py")


def test_modules_are_never_executed(tree_of):
    tree = tree_of({"vllm/a.py": "raise SystemExit('executed')\n"})

    assert tree.module("vllm/a.py") is not None


def test_an_expression_that_needs_code_has_no_literal_value(tree_of):
    module = tree_of({"vllm/a.py": "X = f()\n"}).module("vllm/a.py")

    with pytest.raises(NotLiteralError):
        literal(module.constants["X"])
    assert dotted_name(module.constants["X"]) is None
