"""A working Slack over real sockets: Web API, Socket Mode, signed HTTP, files; used through `Workspace`."""
