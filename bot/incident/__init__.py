"""Incidents: one problem, one thread, one fingerprint."""
