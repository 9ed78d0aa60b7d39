"""What the helper remembers of each server, written before it acts."""
