"""The verbs of the wire, one module each."""
