"""Reads the names in the user's functions, and their values. No code of the user runs.

1. `code_reads.py` finds the names that a code object reads, by its bytecode.
2. `read_values.py` finds the value of a name with its attributes and entries.
3. `users_functions.py` searches the user's functions behind a callable before it is traced.
"""
