"""What a paste says once it is read: cleaned lines, the root cause, facts about release, host and launch."""
