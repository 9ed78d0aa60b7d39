"""Relaunches: from a remedy to a server that runs with it, proven, or back to where it was."""
