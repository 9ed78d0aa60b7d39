"""What a server is started with: command, environment, and changes of both."""
