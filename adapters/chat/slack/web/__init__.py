"""Slack's Web API: requests, replies, files."""
