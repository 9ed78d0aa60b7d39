"""The program `vllm-diagnose`: one module per group of commands."""
