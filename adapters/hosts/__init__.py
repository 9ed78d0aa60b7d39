"""Machines that run vLLM servers, behind one interface of a few verbs."""
