"""Relaunches as they are kept: runs, approvals, locks of hosts, the outbox."""
