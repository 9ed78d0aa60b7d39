"""What the host itself says: who may be touched, and what the machine is."""
