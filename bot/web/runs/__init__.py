"""Pages of relaunches and hosts."""
