"""From the words of a command to what the parser of a release makes of them. Not for judging."""
