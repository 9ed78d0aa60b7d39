"""GPUs as the driver's own tool tells them. Not for freeing them: whoever holds one must end."""

from __future__ import annotations

import csv
import shutil
import subprocess
from dataclasses import dataclass

#: the tool itself hangs on a wedged GPU
_SECONDS = 10.0
_GPU = "uuid,name,memory.total,memory.free,compute_cap"
_USE = "gpu_uuid,pid,process_name"


@dataclass(frozen=True)
class Use:
    """A process that holds memory of a GPU."""

    gpu: str
    pid: int
    name: str


def gpus() -> list[dict[str, object]] | None:
    """Return every GPU; None when the tool is missing, hangs or fails, which is not the same as no GPU."""
    rows = _query("gpu", _GPU)
    if rows is None:
        return None
    found: list[dict[str, object]] = []
    for row in rows:
        if len(row) != 5 or not row[2].isdigit() or not row[3].isdigit():
            return None
        found.append(
            {
                "uuid": row[0],
                "name": row[1],
                "memory_total_mib": int(row[2]),
                "memory_free_mib": int(row[3]),
                "compute_capability": row[4] if row[4][:1].isdigit() else None,
            }
        )
    return found


def uses() -> list[Use] | None:
    """Return who holds memory on which GPU; None when the tool cannot tell."""
    rows = _query("compute-apps", _USE)
    if rows is None:
        return None
    return [Use(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3 and row[1].isdigit()]


def _query(what: str, fields: str) -> list[list[str]] | None:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    argv = [tool, "--query-%s=%s" % (what, fields), "--format=csv,noheader,nounits"]
    try:
        tool_run = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    try:
        output, _ = tool_run.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        # Not waited for: on a wedged GPU it cannot even be killed.
        tool_run.kill()
        return None
    if tool_run.returncode != 0:
        return None
    text = output.decode("utf-8", "replace")
    return [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
