"""Which texts releases of vLLM can raise, so that a bare exception line can be told to be vLLM's."""
