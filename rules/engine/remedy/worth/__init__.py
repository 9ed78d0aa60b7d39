"""Whether a change is worth making on a launch as it stands."""
