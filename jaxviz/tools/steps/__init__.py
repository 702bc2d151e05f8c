"""`jaxviz.steps`: how JAX traced a function, line by line."""
