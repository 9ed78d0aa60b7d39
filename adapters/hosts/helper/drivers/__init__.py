"""Ways in which servers run on a host: one module each, behind one interface."""
