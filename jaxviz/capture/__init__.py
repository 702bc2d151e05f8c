"""Captures calls: turns a call of a JAX function into the records of its program.

No other folder imports JAX. Names that are not public in JAX are read only in the files that begin
with `_`: `_jax` has the names that programs need, `_events`, `_hooks`, `_loops` and `_traces` those
that tell what JAX traces and compiles, `_called` those that tell of its own functions and traced
values.
"""

from jaxviz.capture.errors import CaptureError
from jaxviz.capture.lowering import Later
from jaxviz.capture.trace import Captured, capture

__all__ = ["CaptureError", "Captured", "Later", "capture"]
