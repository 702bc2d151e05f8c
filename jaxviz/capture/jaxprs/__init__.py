"""Turns a jaxpr into the records of a stage.

`walk.py` finds each jaxpr once, `jaxpr.py` makes its records, and `jaxpr_text.py` its text.
`clone.py` numbers its eqns for the later stages. `constants.py` retains closed-over arrays.
"""
