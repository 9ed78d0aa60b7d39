"""Compose files and Kubernetes manifests: a bounded tree, and the launches in it. Makes no objects."""
