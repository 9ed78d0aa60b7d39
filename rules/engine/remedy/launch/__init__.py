"""How the launch is said again and how a running server is asked, as shell. Not for choosing a change."""
