"""`jaxviz.find_nan`: the origin of a NaN, and of the first infinity."""
