"""Checks of the catalogue, one file each: an issue, where it stands, what to do."""
