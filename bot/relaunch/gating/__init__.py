"""Whether a relaunch may happen now."""
