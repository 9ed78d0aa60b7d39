"""Makes `python -m bot` the same program as `vllm-diagnose`. Not for anything else."""

from __future__ import annotations

import sys

from bot.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
