"""Reads one announcement of JAX's off the stack: which function it is about, what to report, and
whether it made a new program.

JAX announces no more than a name and a duration. The function, its arguments and its jaxpr are
local variables of JAX's frames, which are on the stack while JAX announces. A trace is announced
also where JAX found its jaxpr in the cache: that cost no trace, and is no event.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import jax
from msgspec import Struct

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture.donors import Donor, note_donor
from jaxviz.capture.events.describe import arguments_of, signature_of, signature_of_jaxpr
from jaxviz.capture.events.functions import definition_of, failed_line, is_jax, site_of
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.shown.strings import name
from jaxviz.schema import Frame
from jaxviz.signature import Fact, Function, Signature


class OpProgram(NamedTuple):
    """What JAX compared for an op that it compiled; hashes stand for what is not counted alone."""

    label: str
    """JAX's label of the program: an op may be several programs."""
    shapes: tuple[str, ...]
    """Of the arguments; of the results too if all arguments are scalars."""
    dtypes: tuple[str, ...]
    weak: tuple[bool, ...]
    statics: int
    placed: int


class JaxEvent(NamedTuple):
    """A trace, lowering or compilation of a function of JAX's own, such as `jnp.sum`."""

    kind: str
    start: float
    seconds: float
    op: str = ""
    """As the user would write it, `jnp.sum`; empty for a trace within another trace."""
    site: Frame | None = None
    """The user's line that called it."""
    program: OpProgram | None = None
    """For a compilation of an op; None where it cannot be read."""


class Span(Struct, frozen=True):
    """A trace, lowering or compilation that has ended, as JAX announced it."""

    kind: str
    """`trace`, `lower` or `compile`."""
    name: str
    """JAX's label of it, such as `f` or `jit(f)`."""
    start: float
    """Seconds since 1970."""
    seconds: float
    depth: int
    """How many events had begun in its thread and not ended yet, without this one."""
    traces: int
    """How many of these are traces."""
    thread: str
    cached: bool | None
    """Whether a compilation was found in the persistent cache; None if that was not asked."""
    saved: float | None
    """The seconds that this saved, as JAX says; None where it was not found."""
    bodies: int | None
    """How many functions JAX traced while it lasted, in any thread; None if not known."""
    earlier: int | None
    """How many functions JAX traced between the thread's last event and the beginning of this one;
    None if not known."""


Result = TypeVar("Result")


class Announced(Struct, frozen=True):
    """A trace that JAX announced as ended, with what its stack tells.

    It refers to the user's objects, so it is dropped as soon as the trace has been reported.
    """

    span: Span
    frame: FrameType
    ended: EndedTrace
    """What JAX has of it; `ended.call` is of a library's wrapper or of the user's function."""
    function: Function
    identity: int | None
    call: Call | None
    """The call of the user's function: `ended.call`, or what the library's wrapper in it calls."""
    is_apart: bool
    """Whether the function is JAX's own."""
    signature: Signature | None
    """None if `is_apart`, or if the arguments cannot be read."""
    avals: tuple[Any, ...]
    """Of the jaxpr's inputs; empty if `is_apart`, and if there is no jaxpr."""

    @property
    def asked(self) -> tuple[Any, ...] | None:
        """The avals under which JAX's cache has the trace; None if it is not known which is its."""
        if self.ended.jaxpr is not None:
            return self.avals
        known = None if self.ended.call is None else self.ended.avals
        return None if known is None else tuple(known)


def announced(span: Span, frame: FrameType, programs: Programs) -> Announced:
    """The trace whose end JAX announces from `frame`. `programs` remembers its function, by which a
    later lowering of the same jaxpr is known."""
    ended = seen.ended_trace(frame)
    jaxpr = ended.jaxpr
    whose = None if ended.call is None else programs.whose(ended.call, frame)
    if whose is None:
        whose = programs.named(jaxpr) or Function(name(span.name), "", 0), None, None
    function, identity, call = whose
    programs.meet(function, seen.source_of(jaxpr), call)
    apart = is_jax(function)
    signature = None if apart else attempt(lambda: _signature(call, jaxpr))
    attempt(lambda: _note_donor(ended, function, frame))
    avals = () if apart or jaxpr is None else tuple(var.aval for var in jaxpr.invars)
    return Announced(span, frame, ended, function, identity, call, apart, signature, avals)


def _note_donor(ended: EndedTrace, function: Function, frame: FrameType) -> None:
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
        saved=span.saved,
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


FAILED_TRACES = 1_000
"""How many failed traces are remembered."""


class Claims:
    """Numbers new programs, so that each belongs to one announcement."""

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._failed: set[Hashable] = set()
        """Function and signature of traces that failed. JAX counts the next attempt as answered by
        its cache, though it traces again."""
        self._lock = RLock()

    def claim(self, trace: Announced) -> int | None:
        """The number of the new program; None if JAX's cache had it. If several threads wait for
        one trace, the first to report has the program."""
        key = self._key(trace)
        with self._lock:
            jaxpr = trace.ended.jaxpr
            known = self._programs.of(jaxpr) is not None
            # From 0.9 on JAX announces a trace, too, where its cache had the jaxpr.
            reused = jaxpr is not None and (trace.span.bodies == 0 or known)
            reused &= key not in self._failed
            self._failed.discard(key)
            if jaxpr is None and key is not None and len(self._failed) < FAILED_TRACES:
                self._failed.add(key)
            if reused and known:
                return None
            own = None if is_jax(trace.function) else trace.identity
            program = self._programs.remember(jaxpr, trace.function, own)
        return None if reused else program

    def _key(self, trace: Announced) -> Hashable:
        """What tells whether a trace repeats a failed one: the function's identity and a digest of
        the signature. None if no trace has failed, since the digest takes time."""
        if trace.signature is None or not (trace.ended.jaxpr is None or self._failed):
            return None
        return trace.identity, trace.signature.digest()
