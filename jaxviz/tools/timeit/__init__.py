"""`jaxviz.timeit`: what a call takes, with jit and without it."""
