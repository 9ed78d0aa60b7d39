"""How things reach the app: events, attempts and acknowledgements, Socket Mode, signed HTTP."""
