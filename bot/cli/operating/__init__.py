"""Setting the bot up, checking it, looking at what it keeps."""
