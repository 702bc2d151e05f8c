"""What was measured when a program ran, as values and in sentences. Nothing here runs anything.

`timing.py` is what a timed call took, `measured.py` what each instruction and line took,
`values.py` how large the values were, `births.py` where a NaN or an infinity was born.
"""
