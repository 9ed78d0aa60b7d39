"""What an operator sets up at Slack, and whether it is right."""
