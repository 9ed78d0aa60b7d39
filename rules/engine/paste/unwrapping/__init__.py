"""Joining of lines that were broken by a terminal, a mail client or a hand."""
