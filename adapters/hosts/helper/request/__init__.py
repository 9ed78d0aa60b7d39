"""From the bytes of a request to typed orders."""
