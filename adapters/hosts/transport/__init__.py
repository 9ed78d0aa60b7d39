"""How a request reaches the helper on a host."""
