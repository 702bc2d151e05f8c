"""Captures calls: turns a call of a JAX function into the records of its program.

How a call becomes a program, each folder using those above it:

- `shown/` decides what of the user's values, names and lines is shown.
- `jaxprs/` writes the records of a jaxpr.
- `calls/` tells which function is called, and with what.
- `failure/` explains a call that cannot be traced, in a sentence (`errors.py`) and in a card.
- `stages/` makes the later stages: `stablehlo/` and `hlo/` read what JAX and XLA made, and
  `safety/files.py` makes the folders that they write to.
- `tracing/` traces a call (`trace.py`), and makes the card of one that failed (`card.py`).
- `artifacts/` reads what JAX made already: a `Lowered`, a `Compiled`, a file.

What happens when it runs:

- `events/` hears what JAX traces, lowers and compiles.
- `rerun/` runs a program once more, and hands each value to a reader: `tools/nan`,
  `tools/statistics`.
- `donors.py` remembers which call took a donated array.

Whatever changes something outside of jaxviz for a while (a hook of JAX, standard output) does it by
`changes.py`, which takes it back after an interrupt, too.

Only the `capture.py` of a tool imports JAX besides. Names that are not public in JAX are read only
in the files that begin with `_`: `_jax` has those that programs need, `_events`, `_hooks` and
`_traces` those of what JAX traces and compiles, `_called` those of its own functions and traced
values. Those that one folder alone needs are there: `_printer`, `_modules`, `_recording`, `_trees`
and `_recorded`.
"""

from jaxviz.capture.artifacts.jax_objects import LaterStages, captured_object
from jaxviz.capture.artifacts.module_files import (
    NoReaderError,
    NotReadError,
    read_in_another_process,
)
from jaxviz.capture.calls.called_function import JaxObject, kind_of_jax_object
from jaxviz.capture.failure.attempt import Attempt
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.failure.failure import no_card
from jaxviz.capture.stages.lowering import PLATFORMS
from jaxviz.capture.tracing.card import card_of
from jaxviz.capture.tracing.trace import CallAgain, Captured, call_again, capture

__all__ = [
    "PLATFORMS",
    "Attempt",
    "CallAgain",
    "CaptureError",
    "Captured",
    "JaxObject",
    "LaterStages",
    "NoReaderError",
    "NotReadError",
    "call_again",
    "capture",
    "captured_object",
    "card_of",
    "kind_of_jax_object",
    "no_card",
    "read_in_another_process",
]
