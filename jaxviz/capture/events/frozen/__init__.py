"""Values that Python read while JAX traced a function, which the program keeps.

1. `code_reads.py` finds the names that a code object reads, by its bytecode.
2. `read_values.py` follows them from a function through the user's functions behind them, without
   running any code, to the values.
3. `fingerprints.py` describes a value in strings, numbers and weak references.
4. `frozen_traces.py` does this at the end of each trace, and again when a cell ends.
"""
