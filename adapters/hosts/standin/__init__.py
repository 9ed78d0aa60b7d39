"""A program that behaves like vLLM 0.11.2 as a process, without a GPU: for the demo and for tests. Not a model."""
