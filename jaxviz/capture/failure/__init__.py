"""What an exception tells while it lives: the user's expression that failed, the value that Python
asked for, and the program that JAX had recorded by then.

All that leaves this folder is strings and numbers: no exception, frame, tracer or array is kept.
"""
