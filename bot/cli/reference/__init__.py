"""Making docs/reference from the program itself, so that it cannot say anything else than the program does."""
