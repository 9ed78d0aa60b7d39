"""Which rules fire on the evidence: prefilter, verification, conditions, ranking."""
