"""Who somebody is, and how they prove it."""
