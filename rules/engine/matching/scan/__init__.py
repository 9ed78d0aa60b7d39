"""The raw scan: keys of signals in blocks of bytes, and which lines of a large log are worth reading."""
