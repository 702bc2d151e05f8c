"""Reads one announcement of JAX's off the stack: which function it is about, and what to report.

JAX announces no more than a name and a duration. The function, its arguments and its jaxpr are
local variables of JAX's frames, which are on the stack while JAX announces. A trace is announced
also where JAX found its jaxpr in the cache: that cost no trace, and is no event.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import jax
from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture.donors import Donor, note_donor
from jaxviz.capture.events.describe import arguments_of, signature_of, signature_of_jaxpr
from jaxviz.capture.events.functions import definition_of, failed_line, is_jax, site_of
from jaxviz.capture.events.programs import Programs
from jaxviz.schema.signature import Function, Signature, Trace


class Objects(NamedTuple):
    """The objects of JAX and of the user that a trace is read from, and what JAX announced. They
    are dropped before the trace is reported."""

    label: str = ""
    """JAX's label of what it announced, such as `f` or `jit(f)`."""
    frame: FrameType | None = None
    """The frame in which JAX announced it."""
    traces: int = 0
    """How many traces had begun in its thread and not ended yet, without this one."""
    bodies: int | None = None
    """How many functions JAX traced while it lasted, in any thread; None if not known."""
    earlier: int | None = None
    """How many functions JAX traced between the thread's last event and the beginning of this one;
    None if not known."""
    ended: EndedTrace | None = None
    """What JAX has at the end of a trace."""
    call: Call | None = None
    """The call of the user's function: `made`, or what the library's wrapper in it calls."""
    jaxpr: Any = None
    avals: tuple[Any, ...] = ()
    """Of the jaxpr's inputs; empty if the function is JAX's own, and if there is no jaxpr."""

    @property
    def made(self) -> Call | None:
        """The call that JAX traced, if it is on the stack."""
        return None if self.ended is None else self.ended.call

    @property
    def asked(self) -> tuple[Any, ...] | None:
        """The avals under which JAX's cache has the trace; None if it is not known which is its."""
        if self.jaxpr is not None:
            return self.avals
        known = None if self.made is None or self.ended is None else self.ended.avals
        return None if known is None else tuple(known)


def announced(heard: Trace, programs: Programs) -> Trace:
    """The trace whose end JAX announces, with its function and its call. `programs` remembers the
    function, by which a later lowering of the same jaxpr is known."""
    objects: Objects = heard.objects
    frame = objects.frame
    ended = seen.ended_trace(frame)
    jaxpr = ended.jaxpr
    whose = None if ended.call is None else programs.whose(ended.call, frame)
    if whose is None:
        whose = programs.named(jaxpr) or heard.function, None, None
    function, identity, call = whose
    programs.meet(function, seen.source_of(jaxpr), call)
    apart = is_jax(function)
    attempt(lambda: _note_donor(ended, function, frame))
    avals = () if apart or jaxpr is None else tuple(var.aval for var in jaxpr.invars)
    return replace(
        heard,
        function=function,
        identity=identity,
        signature=None if apart else attempt(lambda: _signature(call, jaxpr)),
        objects=objects._replace(ended=ended, call=call, jaxpr=jaxpr, avals=avals),
    )


def located(heard: Trace, function: Function, identity: int | None, cleared: int) -> Trace:
    """What JAX announced, with its function, the user's line, and how it failed. `cleared` is how
    often JAX's caches were cleared before."""
    frame = heard.objects.frame
    error = seen.failure_of(frame)
    return replace(
        heard,
        function=function,
        definition=attempt(lambda: definition_of(function)),
        identity=identity,
        signature=None,
        cleared=cleared,
        site=attempt(lambda: site_of(frame)),
        error=error,
        failed=attempt(lambda: failed_line(seen.failed_at(frame))) if error else None,
        objects=None,
    )


def _note_donor(ended: EndedTrace, function: Function, frame: FrameType | None) -> None:
    """Remembers which arrays the call takes, for the card of one that is used again."""
    site = site_of(frame) if any(ended.options.donated) else None
    if site is not None and ended.call is not None:
        given = [value for _, _, static, value in arguments_of(ended.call) if not static]
        note_donor(Donor(function.name, site), jax.tree.leaves(given), ended.options.donated)


def _signature(call: Call | None, jaxpr: Any) -> Signature | None:
    """The signature of the call, or of the jaxpr if there is no call; None if there is neither."""
    if call is not None:
        return signature_of(call)
    return None if jaxpr is None else signature_of_jaxpr(jaxpr, seen.names_of(jaxpr))


Result = TypeVar("Result")


def attempt(read: Callable[[], Result]) -> Result | None:
    """What `read` returns, or None if it raises: then the event is reported without that field."""
    try:
        return read()
    except Exception:
        return None
