"""What the source states of a setting beside its name: limits, registered names, numbers."""
