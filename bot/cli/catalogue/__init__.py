"""The rules, from the terminal."""
