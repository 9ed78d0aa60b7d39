"""Processes, ports and GPUs as the kernel and the driver's tool tell them."""
