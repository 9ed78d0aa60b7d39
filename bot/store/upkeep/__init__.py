"""Sharing the work between processes, and removing what is old."""
