"""What Discord tells over its gateway, and what it did not tell. Not for REST."""
