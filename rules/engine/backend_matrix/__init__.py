"""Which attention backends work for a model in a release, text and vision, and why the others do not."""
