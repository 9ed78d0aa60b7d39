"""The checks, one a file; each takes a rule and yields what is wrong with it."""
