"""GPUs are what the driver's tool says; a tool that is missing or fails says nothing, which is not 'free'."""

import os
import sys
from pathlib import Path

from tests.hosts.helper.gpu_host import NOTHING

GPU = "GPU-5f1d0c8e"
ROWS = f"{GPU}, NVIDIA H100 80GB HBM3, 81559, 80000, 9.0"


def tool(host, gpus: str, uses: str = "", first: str = "") -> None:
    """Put a stand-in for the driver's tool in the host's PATH; `first` runs before it answers about uses."""
    host.put(
        "nvidia-smi",
        f"#!{sys.executable}\nimport os, sys\n"
        f"if '--query-gpu' in sys.argv[1]:\n    print({gpus!r})\n    sys.exit()\n{first}\nprint({uses!r})\n",
    )


def ask(host, verb, **said):
    return host.result_of(host.send(host.request(verb, **said)))


def stop(host):
    return ask(host, "stop", order=host.order("stop", 2), grace_seconds=5, restore_after_seconds=600)


def test_they_are_told(host):
    tool(host, ROWS)

    assert ask(host, "facts")["gpus"] == [
        {
            "uuid": GPU,
            "name": "NVIDIA H100 80GB HBM3",
            "memory_total_mib": 81559,
            "memory_free_mib": 80000,
            "compute_capability": "9.0",
        }
    ]


def test_a_machine_without_the_tool_does_not_know(host):
    assert ask(host, "facts")["gpus"] is None


def test_a_tool_that_fails_does_not_know(host):
    host.put("nvidia-smi", "#!/bin/sh\necho 'Failed to initialize NVML'\nexit 9\n")

    assert ask(host, "facts")["gpus"] is None


def test_a_tool_that_talks_nonsense_does_not_know(host):
    tool(host, "[N/A], [Unknown Error]")

    assert ask(host, "facts")["gpus"] is None


def test_gpus_without_a_user_are_free(host):
    tool(host, ROWS)
    host.list_server(gpus=[GPU])
    host.serve()

    assert stop(host)["gpus_are_free"] is True


def test_a_stranger_on_a_gpu_is_named_and_left_alone(host):
    tool(host, ROWS, uses=f"{GPU}, {os.getpid()}, python3")
    host.list_server(gpus=[GPU])
    host.serve()

    stopped = stop(host)

    assert stopped["gpus_are_free"] is False
    assert stopped["foreign"] == [{"pid": os.getpid(), "name": "python3", "is_ours": False}]


def test_a_stranger_on_another_gpu_does_not_matter(host):
    tool(host, ROWS, uses=f"GPU-other, {os.getpid()}, python3")
    host.list_server(gpus=[GPU])
    host.serve()

    stopped = stop(host)

    assert (stopped["gpus_are_free"], stopped["foreign"]) == (True, [])


def test_memory_of_a_process_that_has_just_ended_is_waited_for(host):
    host.list_server(gpus=[GPU])
    started = host.serve()
    asked = str(host.folder / "asked")
    # Twice the tool still shows the ended process, as the real one does for a while.
    tool(
        host,
        ROWS,
        uses=f"{GPU}, {started['pid']}, VLLM::EngineCore",
        first=f"count = os.path.getsize({asked!r}) if os.path.exists({asked!r}) else 0\n"
        f"open({asked!r}, 'a').write('x')\n"
        "if count >= 2: sys.exit()",
    )

    stopped = stop(host)

    assert stopped["gpus_are_free"] is True
    assert Path(asked).stat().st_size == 3


def test_a_missing_gpu_is_found_before_anything_is_touched(host):
    tool(host, ROWS)
    host.list_server(gpus=[GPU, "GPU-gone"])

    checks = ask(host, "preflight", order=host.order("preflight"), change=NOTHING)["checks"]

    assert [check["detail"] for check in checks if not check["is_sound"]] == ["GPU GPU-gone is not there"]


def test_releases_of_vllm_are_read_from_files_and_nothing_is_started(host):
    program = host.folder / "venv" / "bin" / "vllm"
    program.parent.mkdir(parents=True)
    ran = host.folder / "ran"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    (host.folder / "venv" / "lib" / "python3.12" / "site-packages" / "vllm-0.11.2.dist-info").mkdir(
        parents=True
    )
    host.list_server(argv=[str(program), "serve", "m"])

    assert ask(host, "facts")["vllm_versions"] == {host.name: "0.11.2"}
    assert not ran.exists()
