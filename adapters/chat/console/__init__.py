"""The console's chat: rooms on a local page, as a chat platform like any other."""
