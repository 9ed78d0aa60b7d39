"""What an operator sets up at Discord, and whether it is right."""
