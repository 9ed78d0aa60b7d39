"""The registry: which machines and servers there are, who may act on them, which one is meant."""
