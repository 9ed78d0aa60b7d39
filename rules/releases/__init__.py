"""What holds in which vLLM release, read from its source: shipped as data, made by the extractor beside it."""
