"""What runs a program when it is asked to; nothing else in jaxviz does, but `Program`.

`timeit.py` calls the user's function, with jit and op by op; `steps.py` has JAX trace it line by
line. The others run the program of a call: `profile.py` as compiled, `statistics.py` and
`find_nan.py` with a few numbers beside each array. What they return is in `jaxviz/measures` and
`jaxviz/reports`.
Beside each function stands its option of the magics, a record of `option.py`.
`cell_profile.py` tells of a cell that ran by itself: for it, a program is compiled, and not run.
"""
