"""Slack as a chat platform, over Socket Mode or signed HTTP."""
