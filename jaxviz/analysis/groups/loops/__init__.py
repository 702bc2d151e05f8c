"""Python loops: their iterations in a jaxpr, rows of equal runs, and the source loop of a row."""
