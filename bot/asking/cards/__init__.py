"""Answers to questions in words as cards. Pure."""
