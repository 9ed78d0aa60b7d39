"""A restricted evaluator of vLLM's own selection code: it walks syntax trees, runs nothing and imports nothing of vLLM."""
