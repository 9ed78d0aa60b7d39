"""`vllm-diagnose relaunch`: what the buttons do, from a terminal."""
