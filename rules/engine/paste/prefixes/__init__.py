"""Prefixes of log lines: whose line it is, and the line without them."""
