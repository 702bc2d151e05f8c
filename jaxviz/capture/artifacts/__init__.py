"""Reads artifacts that JAX made already: its objects, and files of StableHLO and HLO."""
