"""Reads a call as the user wrote it: its function, names and arguments, and the parts of these that
are not arrays."""
