"""Facts of vLLM releases, from the terminal."""
