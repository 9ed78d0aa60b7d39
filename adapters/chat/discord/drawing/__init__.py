"""Cards as Discord messages. Pure."""
