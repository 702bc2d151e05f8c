"""Captures calls: turns a call of a JAX function into the records of its program.

- `trace.py` traces a call, `jaxpr.py` writes the records of what was traced.
- `lowering.py` makes the later stages from it: `clone.py` numbers the eqns, `stablehlo/` and `hlo/`
  read what JAX and XLA made of them.
- `jax_objects.py` makes programs of what JAX gave already: a `Lowered`, a `Compiled`.
- `module_files.py` reads files of StableHLO and HLO, in an interpreter of its own.
- `steps.py` records what each line of the user's did in a trace, once more for a `kept_call.py` and
  its `kept_function.py`; `known_calls.py` says which calls ran no Python.
- `errors.py` explains calls that cannot be traced, in a sentence; `failure/` finds what to write
  instead, and makes an error's card.
- `strings.py`, `shown_values.py` and `statics.py` decide what of the user's values is shown.
- `events/` hears what JAX traces, lowers and compiles.

No other folder imports JAX. Names that are not public in JAX are read only in the files that begin
with `_`: `_jax`, `_printer` and `_modules` have the names that programs need, `_events`, `_hooks`
and `_traces` those that tell what JAX traces and compiles, `_called` those that tell of its own
functions and traced values, `_recording` those that tell of a trace that goes on.
"""

from jaxviz.capture.called_function import JaxObject, kind_of_jax_object
from jaxviz.capture.card import card_of
from jaxviz.capture.errors import CaptureError
from jaxviz.capture.failure.attempt import Attempt
from jaxviz.capture.failure.failure import took_part
from jaxviz.capture.jax_objects import LaterStages, captured_object
from jaxviz.capture.module_files import NotReadError, read_in_another_process
from jaxviz.capture.platforms import PLATFORMS
from jaxviz.capture.steps import steps_again
from jaxviz.capture.trace import Captured, capture

__all__ = [
    "PLATFORMS",
    "Attempt",
    "CaptureError",
    "Captured",
    "JaxObject",
    "LaterStages",
    "NotReadError",
    "capture",
    "captured_object",
    "card_of",
    "kind_of_jax_object",
    "read_in_another_process",
    "steps_again",
    "took_part",
]
