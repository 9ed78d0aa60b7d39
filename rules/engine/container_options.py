"""The options of `docker run` that take a value in the next word. Not for what they mean."""

from typing import Final

TAKE_VALUE: Final = frozenset(
    {
        *(
            "-a",
            "-c",
            "-e",
            "-h",
            "-l",
            "-m",
            "-p",
            "-u",
            "-v",
            "-w",
            "--add-host",
            "--annotation",
            "--attach",
            "--blkio-",
        ),
        *("weight", "--cap-add", "--cap-drop", "--cgroup-parent", "--cgroupns", "--cidfile", "--cpu-"),
        *("period", "--cpu-quota", "--cpu-shares", "--cpus", "--cpuset-cpus", "--cpuset-mems"),
        *("--device", "--device-cgroup-rule", "--dns", "--dns-option", "--dns-search"),
        *("--domainname", "--entrypoint", "--env", "--env-file", "--expose", "--gpus", "--group-add"),
        *("--health-cmd", "--health-interval", "--health-retries", "--health-start-period"),
        *("--health-timeout", "--hostname", "--ip", "--ip6", "--ipc", "--isolation", "--label"),
        *("--label-file", "--link", "--log-driver", "--log-opt", "--mac-address", "--memory"),
        *("--memory-reservation", "--memory-swap", "--memory-swappiness", "--mount", "--name"),
        *("--net", "--network", "--network-alias", "--oom-score-adj", "--pid", "--pids-limit"),
        *("--platform", "--publish", "--pull", "--restart", "--runtime", "--security-opt", "--shm-"),
        *("size", "--stop-signal", "--stop-timeout", "--storage-opt", "--sysctl", "--tmpfs"),
        *("--ulimit", "--user", "--userns", "--uts", "--volume", "--volume-driver", "--volumes-from"),
        *("--workdir"),
    }
)
