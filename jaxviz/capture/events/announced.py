"""Reads one announcement of JAX's off the stack: which function it is about, and what to report.

JAX announces no more than a name and a duration. The function, its arguments and its jaxpr are
local variables of JAX's frames, which are on the stack while JAX announces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.announcements import Span
from jaxviz.capture.events.describe import signature_of, signature_of_jaxpr
from jaxviz.capture.events.functions import definition_of, failed_line, is_apart, site_of
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.strings import name
from jaxviz.signature import Fact, Function, Signature

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Announced:
    """A trace that JAX announced as ended, with what its stack tells.

    It refers to the user's objects, so it is dropped as soon as the trace has been reported.
    """

    span: Span
    frame: FrameType
    made: Call | None
    """The call that JAX traced, of a library's wrapper or of the user's function; None if it is not
    on the stack."""
    jaxpr: Any
    """None if the trace failed."""
    function: Function
    identity: int | None
    call: Call | None
    """The call of the user's function: `made`, or what the library's wrapper in `made` calls."""
    is_apart: bool
    """Whether the function is not the user's but JAX's own, or a package's internal one."""
    signature: Signature | None
    """None if `is_apart`, or if the arguments cannot be read."""

    @property
    def avals(self) -> tuple[Any, ...]:
        return () if self.jaxpr is None else tuple(var.aval for var in self.jaxpr.invars)


def announced(span: Span, frame: FrameType, programs: Programs) -> Announced:
    """The trace whose end JAX announces from `frame`. `programs` remembers its function, by which a
    later lowering of the same jaxpr is known."""
    made = seen.call_of(frame, tracing=True)
    whose = None if made is None else programs.whose(made, frame)
    jaxpr = seen.traced_jaxpr(frame)
    named = programs.named(jaxpr) or Function(name(span.name), "", 0)
    function, identity, call = whose or (named, None, None)
    programs.meet(function, seen.source_of(jaxpr), call)
    apart = is_apart(function, span.depth > 0)
    signature = None if apart else attempt(lambda: _signature(call, jaxpr))
    return Announced(span, frame, made, jaxpr, function, identity, call, apart, signature)


def _signature(call: Call | None, jaxpr: Any) -> Signature | None:
    """The signature of the call, or of the jaxpr if there is no call; None if there is neither."""
    if call is not None:
        return signature_of(call)
    return None if jaxpr is None else signature_of_jaxpr(jaxpr, seen.names_of(jaxpr))


def fact_of(
    span: Span,
    frame: FrameType,
    function: Function,
    identity: int | None,
    cleared: int,
    eqns: int | None = None,
) -> Fact:
    """The fields that every kind of event has: which function, where, when, and how it failed. The
    caller fills in the others. `cleared` is how often JAX's caches were cleared before."""
    error = seen.failure_of(frame)
    return Fact(
        kind=span.kind,
        function=function,
        definition=attempt(lambda: definition_of(function)),
        identity=identity,
        signature=None,
        placements=None,
        program=None,
        options=None,
        role="",
        cleared=cleared,
        site=attempt(lambda: site_of(frame)),
        start=span.start,
        seconds=span.seconds,
        depth=span.depth,
        thread=span.thread,
        eqns=eqns,
        cached=span.cached,
        error=error,
        failed=attempt(lambda: failed_line(seen.failed_at(frame))) if error else None,
        implied=False,
    )


def attempt(read: Callable[[], Result]) -> Result | None:
    """What `read` returns, or None if it raises: then the event is reported without that field."""
    try:
        return read()
    except Exception:
        return None
