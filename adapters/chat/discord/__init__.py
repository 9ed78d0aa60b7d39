"""Discord as a chat platform, over the gateway."""
