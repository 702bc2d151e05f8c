"""Python loops: their iterations in a jaxpr, rows of equal runs, and the loop in the source."""
