"""The helper on a GPU host: does what the bot's orders say. Needs Python 3.8, nothing else; imports nothing of ours."""

VERSION = "0.1.0"
#: of the wire between the bot and the helper
PROTOCOL = 1
