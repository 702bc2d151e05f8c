"""`jaxviz.statistics`: how large the values of a run are, and which are not finite."""
