"""Shell scripts: words, commands, variables, and the launches they make. Runs nothing."""
