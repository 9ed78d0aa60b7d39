"""Attention facts of a release: backends, selection, encoders, what settings reach, the lines that are logged."""
