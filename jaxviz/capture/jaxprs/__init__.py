"""A jaxpr becomes the records of a stage: `walk.py` finds each jaxpr once, `jaxpr.py` writes its
records, `jaxpr_text.py` its text. `clone.py` numbers its eqns for the later stages."""
