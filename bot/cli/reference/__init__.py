"""Makes docs/reference from the program itself, so that the two cannot differ."""
