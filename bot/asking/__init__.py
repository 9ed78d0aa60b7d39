"""Questions that people put in words: `backends …`, `check …`, `help`. Not for pastes."""
