"""Tools that run a program, beside those in `jaxviz/tools`.

`steps.py` has JAX trace the user's function line by line. The others run the program of a call with
a few numbers beside each array. What they return is in `jaxviz/measures` and `jaxviz/reports`.
Beside each function stands its option of the magics, a record of `option.py`.
"""
