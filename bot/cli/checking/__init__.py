"""`vllm-diagnose check`: the preflight of a launch on the terminal."""
