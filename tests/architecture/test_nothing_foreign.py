"""Nothing of the place where the project was written may stand in it."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: hosts of package registries: where packages come from is the operator's choice
REGISTRY_HOSTS = re.compile(
    r"pypi\.(?:org|python)|pythonhosted|registry\.npmjs|deb\.debian\.org|pypi-mirror", re.IGNORECASE
)


def _tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in names.split("\0") if name]


def test_no_tracked_file_names_a_registry_host():
    me = Path(__file__)
    offenders = [
        str(path.relative_to(ROOT))
        for path in _tracked()
        if path != me
        and path.is_file()
        and REGISTRY_HOSTS.search(path.read_bytes().decode("utf-8", "ignore"))
    ]

    assert not offenders


def test_every_requirement_is_pinned_and_hashed():
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        packages = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]

        assert packages, path.name
        assert all("==" in line for line in packages), path.name
        assert text.count("--hash=sha256:") >= len(packages), path.name
