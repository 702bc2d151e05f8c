"""The owner of a trace: the user, or a library. It decides what a log shows, and what
`log.retraces` and `max_retraces` count.

The user's files are cells, and files outside of site-packages, the standard library and jaxviz. A
package that is installed in editable mode is the user's.

A trace is the *user's* if one of these holds:

1. The function passed to `jit`, `nnx.jit`, `filter_jit` and the like is in a file of the user.
2. A line of the user made the jit: `jax.jit(model.apply)`.
3. The function is a body of scan, while, cond or map that a line of the user passes, outside of
   jit.

All other traces are a *library's*: it wrote the function and made the jit. A log shows such a trace
if a compilation follows it, and if it is the first one, or the reason is an argument that the
user's line passes. If that line calls the jitted function itself, any argument counts, else only an
array. A library's trace never counts for `log.retraces` and `max_retraces`.

Other events are added to the count of JAX's own functions: traces without a compilation, such as
linen's shape checks; error helpers; and jits that a library makes for each call.

`capture/events/functions.py` reads the owner of a function.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz.schema import Event, Frame, Totals
from jaxviz.schema.signature import Trace

_ARRAY_CHANGES = frozenset(("shape", "dtype", "weak type", "sharding", "device", "committed"))
_ARGUMENT_CHANGES = _ARRAY_CHANGES | {"static", "pytree", "style", "none", "order"}
_WAITING = 1_000
"""The most library traces that wait for a compilation: the latest ones."""


class Reported(NamedTuple):
    """An event and its trace."""

    event: Event
    trace: Trace


_Program = tuple[int | None, str, Frame | None]


class LibraryEvents:
    """Stores the traces and lowerings of libraries until a compilation follows."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[_Program, list[Reported]] = OrderedDict()
        self.unshown = Totals(traces=0, lowerings=0, compiles=0, seconds=0.0)
        """The events of libraries that are not shown, at least not yet."""

    def shown(self, event: Event, trace: Trace) -> list[Reported]:
        """Returns the events to show now: the event itself; the compilation of a library with its
        trace and lowering; or none."""
        one = Reported(event, trace)
        if not event.library:
            return [one]
        self.unshown = _added(self.unshown, event, 1)
        key = (event.number if event.kind == "trace" else event.of, event.name, event.definition)
        if event.error is None and (key in self._waiting or _can_be_shown(event, trace)):
            self._waiting.setdefault(key, []).append(one)
        if len(self._waiting) > _WAITING:
            self._waiting.popitem(last=False)
        found = self._waiting.pop(key, []) if event.kind == "compile" else []
        for earlier, _ in found:
            self.unshown = _added(self.unshown, earlier, -1)
        return found


_FIELDS = {"trace": "traces", "lower": "lowerings", "compile": "compiles"}


def _added(totals: Totals, event: Event, times: int) -> Totals:
    field = _FIELDS[event.kind]
    counted = {field: getattr(totals, field) + times}
    return replace(totals, seconds=totals.seconds + times * event.seconds, **counted)


def _can_be_shown(event: Event, trace: Trace) -> bool:
    """True if a library's event is shown once a compilation follows."""
    kinds = {change.kind for change in event.reason}
    allowed = _ARGUMENT_CHANGES if trace.function.library == "called" else _ARRAY_CHANGES
    return bool(kinds) and (kinds == {"first"} or kinds <= allowed)
