"""What happens between a message and an answer."""
