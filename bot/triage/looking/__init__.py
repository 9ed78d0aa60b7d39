"""Asking the engine in worker processes, so that the event loop never diagnoses."""
