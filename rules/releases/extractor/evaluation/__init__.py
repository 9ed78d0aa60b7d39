"""A restricted evaluator of vLLM's own selection code.

It walks syntax trees, runs nothing and imports nothing of vLLM.
"""
