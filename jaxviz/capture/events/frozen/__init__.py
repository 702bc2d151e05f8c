"""Values that Python read while JAX traced a function, which the program keeps.

1. `followed_reads.py` follows the names in a function through the user's functions behind them,
   without running any code, to the values.
2. `fingerprints.py` describes a value in strings, numbers and weak references.
3. `frozen_traces.py` does this at the end of each trace, and again when a cell ends.
"""
