"""`jaxviz.statistics`: the magnitudes of a run's values, and the values that are not finite."""
