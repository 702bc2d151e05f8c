"""`jaxviz.timeit`: the times of a call, with and without jit."""
