"""Starting the bot and its console."""
