"""Steps from one shape of the store to the next, run at start."""
