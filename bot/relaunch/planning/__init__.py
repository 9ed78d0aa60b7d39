"""What would be changed, written down so that it can be approved and never changes afterwards."""
