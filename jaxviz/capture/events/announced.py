"""Reads one announcement of JAX's: whose function it is about, and the fact to report."""

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
    """A trace that JAX says has ended, with what its stack tells: only as long as it is read."""

    span: Span
    frame: FrameType
    made: Call | None
    """What JAX was called for: a wrapper of a library's, or the user's function."""
    jaxpr: Any
    """None of a trace that failed."""
    function: Function
    identity: int | None
    call: Call | None
    """The user's own, within `made`."""
    is_apart: bool
    """Whether it is JAX's own business, and no function of the user's."""
    signature: Signature | None

    @property
    def avals(self) -> tuple[Any, ...]:
        return () if self.jaxpr is None else tuple(var.aval for var in self.jaxpr.invars)


def announced(span: Span, frame: FrameType, programs: Programs) -> Announced:
    """Reads it off the stack. `programs` learns the function by the name that JAX has for it."""
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
    """The signature of a call; where the call is not known, what its jaxpr tells of it."""
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
    """What is the same of every event: who, where, when, and how it failed. `cleared` is how often
    JAX's caches were cleared before."""
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
    """What `read` returns; None where it fails, so that the event is reported without it."""
    try:
        return read()
    except Exception:
        return None
