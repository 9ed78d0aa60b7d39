"""A matrix of attention backends in words, for the terminal and for chat."""
