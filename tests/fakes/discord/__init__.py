"""A working Discord over real sockets: gateway, REST, interactions, CDN; used through `World`."""
