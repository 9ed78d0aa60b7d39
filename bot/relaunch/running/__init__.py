"""The steps of one run, each of which may be begun twice and has its effect once."""
