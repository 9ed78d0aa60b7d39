"""Checks of the variables that the server gets."""
