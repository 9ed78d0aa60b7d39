"""Following logs from a terminal."""
