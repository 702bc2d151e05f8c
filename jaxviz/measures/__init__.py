"""What was measured when a program ran, as values and in sentences. Nothing here runs anything.

`values.py` is how large the values were.
"""
