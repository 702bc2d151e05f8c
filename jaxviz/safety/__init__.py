"""Keeps failures of jaxviz away from the user: guarded steps, background jobs whose wait can be
interrupted, and files that are written whole."""
