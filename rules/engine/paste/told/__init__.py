"""What people tell in words beside what programs print."""
