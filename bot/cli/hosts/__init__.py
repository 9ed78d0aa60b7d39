"""`vllm-diagnose hosts`: the registry of GPU hosts and their servers."""
