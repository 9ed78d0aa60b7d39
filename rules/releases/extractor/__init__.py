"""Reads the facts of one release out of an unpacked vLLM tree, without importing it. Not for asking them."""
