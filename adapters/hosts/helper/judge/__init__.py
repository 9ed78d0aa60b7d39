"""Lets the vLLM that is installed judge a launch. Starts no server, loads no weights."""
