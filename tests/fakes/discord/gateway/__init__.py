"""The gateway: the server side of the websocket, and the trouble it can make."""
