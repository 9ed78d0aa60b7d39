"""How an answer looks, on any platform."""
