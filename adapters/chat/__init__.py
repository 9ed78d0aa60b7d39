"""Chat platforms behind one interface."""
