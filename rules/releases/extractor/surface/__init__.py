"""What a release shows its users: flags, environment variables, texts. Not for how attention works in it."""
