"""`jaxviz.steps`: the trace of a function, line by line."""
