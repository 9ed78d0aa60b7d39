"""`vllm-diagnose backends`: the matrix of attention backends on the terminal."""
