"""Relaunches in chat: buttons that are pressed, cards that show how a run stands."""
