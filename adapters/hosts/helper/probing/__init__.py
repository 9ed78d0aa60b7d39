"""Questions to a running server over its own port."""
