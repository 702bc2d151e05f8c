"""Captures calls: turns a call of a JAX function into the records of its program.

A call becomes a program in these folders; each one uses those above it:

- `shown/` decides what is shown of the user's values, names and lines.
- `jaxprs/` writes the records of a jaxpr.
- `calls/` reads the function and the arguments of a call.
- `failure/` explains a call that cannot be traced, in a sentence (`errors.py`) and in a card.
- `stages/` makes the later stages: `stablehlo/` and `hlo/` read the modules of JAX and XLA, and
  `safety/files.py` makes the folders that they write to.
- `tracing/` traces a call (`trace.py`), and makes the card of a call that failed (`card.py`).
- `artifacts/` reads JAX's own objects and files: a `Lowered`, a `Compiled`, an HLO text.

These work when a program runs:

- `events/` listens to JAX's traces, lowerings and compilations.
- `rerun/` runs a program once more and passes each value to a reader: `tools/nan`,
  `tools/statistics`.
- `donors.py` remembers which call took a donated array.

All code that changes something outside of jaxviz for a while (a hook of JAX, standard output) uses
`changes.py`, which undoes the change, after an interrupt, too.

Beside this folder only the `capture` of a tool, a file or a folder, imports JAX. JAX's private
names are read only in files that begin with `_`: `_jax` has those for programs, `_events`, `_hooks`
and `_traces` those for traces and compilations, `_called` those of JAX's own functions and traced
values, `_profiler` those of profiles. A folder has its own: `_printer`, `_modules`, `_frames`,
`_raising` and `_running`.
"""

from jaxviz.capture.artifacts.jax_objects import LaterStages, captured_object, eqn_count
from jaxviz.capture.artifacts.module_files import (
    NoReaderError,
    NotReadError,
    read_in_another_process,
)
from jaxviz.capture.calls.called_function import (
    JaxObject,
    kind_of_jax_object,
    object_classes,
    returns_jax_object,
)
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
    "eqn_count",
    "kind_of_jax_object",
    "no_card",
    "object_classes",
    "read_in_another_process",
    "returns_jax_object",
]
