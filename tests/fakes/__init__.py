"""Working servers that the unmodified chat libraries talk to."""
