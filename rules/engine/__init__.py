"""From a paste to a report: cleaning, tracebacks, facts, matching, ranking, remedies, texts."""
