"""Logs of starts: read in pieces, masked, and kept within bounds."""
