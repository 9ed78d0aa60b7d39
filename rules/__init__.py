"""Diagnosis as a pure library: engine, catalogue of rules, facts per vLLM release, lint.

Nothing here talks to a network, reads a clock or knows a chat platform; nothing here imports `bot` or `adapters`.
"""
