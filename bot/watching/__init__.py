"""Following logs, and telling in them which start failed."""
