"""Remembers traces that jaxviz made to show a program, and reports each at its first use.

The first call of the user finds such a trace in JAX's cache. Without jaxviz that call would have
traced, so the trace is reported as if the call had made it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.describe import signature_of
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.weak import Weak
from jaxviz.safety.guard import guarded
from jaxviz.schema.signature import Function, Trace

TRACES_REMEMBERED = 10_000
"""The latest traces are remembered, at most this many."""

Type = tuple[tuple[Any, ...], str, bool]
"""Shape, dtype, and True for a weak type."""


class JaxvizTrace(NamedTuple):
    """A trace that jaxviz made."""

    number: int
    trace: Trace
    types: list[Type]
    """The types of its arguments."""
    within: tuple[int, ...]
    """The numbers of the traces within it."""


class JaxvizTraces:
    """The traces of jaxviz that no call of the user has reused yet.

    Refers to jaxprs weakly. The parameter `now` is JAX's event for the user's call.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._unused: OrderedDict[int, JaxvizTrace] = OrderedDict()
        self._by_jaxpr: Weak[int] = Weak()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._unused)

    def remember(self, trace: Trace, within: list[int]) -> None:
        """Remembers a trace of jaxviz. `within` has the numbers of the traces before it in the same
        capture, and its number is added."""
        self._count += 1
        number, objects = self._count, trace.objects
        types = [_type(aval) for aval in objects.avals]
        trace = replace(trace, objects=None)
        self._unused[number] = JaxvizTrace(number, trace, types, tuple(within))
        within.append(number)
        if objects.jaxpr is not None:
            self._by_jaxpr.set(objects.jaxpr, number)
        if len(self._unused) > TRACES_REMEMBERED:
            self._unused.popitem(last=False)

    def of_jaxpr(self, jaxpr: Any, now: Trace, call: Call | None = None) -> Iterator[Trace]:
        """The unused trace of jaxviz that made `jaxpr`, after the unused traces within it."""
        found = self._unused_trace(jaxpr)
        if found is not None:
            yield from self.of_inner(census(jaxpr).jits, now)
            *within, own = self._take(found, now, implied=False)
            yield from within
            yield self._as_called(own, jaxpr, call)

    def of_inner(self, jits: list[Any], now: Trace) -> Iterator[Trace]:
        """The unused traces of jaxviz that made `jits`, the jaxprs within that of the user's
        call."""
        if self._unused:
            for jaxpr in jits:
                found = self._unused_trace(jaxpr) or self._derived(jaxpr)
                if found is not None:
                    yield from self._take(found, now, implied=True)

    def at_lowering(self, frame: FrameType | None, jaxpr: Any, now: Trace) -> Iterator[Trace]:
        """The trace of jaxviz that made the lowered jaxpr, or from which grad or vmap derived it.

        A transposed jaxpr is not matched by avals: it takes residuals, which may have the types of
        the function's arguments. Its forward half has been lowered before.
        """
        call = seen.call_of(frame)
        candidates = [*seen.jaxprs_called(frame), jaxpr]
        for one in candidates:
            yield from self.of_jaxpr(one, now, call)
        if any(map(self._is_users, candidates)) or seen.role_of(frame).startswith("transpose"):
            return
        for one in candidates:
            if self._assign(now.function, [var.aval for var in one.invars], one):
                yield from self.of_jaxpr(one, now, call)
                return
        found = self._derived_from(now.function, jaxpr)
        if found is not None:
            yield from self._take(found, now, implied=False)

    def _derived(self, jaxpr: Any) -> JaxvizTrace | None:
        """The unused trace from which a transformation derived the jaxpr."""
        function = self._programs.named(jaxpr)
        if function is None or self._is_users(jaxpr):
            return None
        return self._derived_from(function, jaxpr)

    def _is_users(self, jaxpr: Any) -> bool:
        program = self._programs.of(jaxpr)
        return program is not None and program.identity is not None

    def _as_called(self, trace: Trace, jaxpr: Any, call: Call | None) -> Trace:
        """The trace with the signature of `call`, if that calls the same function. It gets a new
        program if the jaxpr belongs to another one."""
        users = None if call is None else self._programs.resolve(call, None)
        if users is not None and users.identity is not None and users.identity == trace.identity:
            signature = guarded(None, signature_of, users.call)
            trace = replace(trace, signature=signature or trace.signature)
        own = self._programs.of(jaxpr)
        if own is None or own.program != trace.program:
            program = self._programs.remember(jaxpr, trace.function, trace.identity)
            self._programs.live.note(program, self._programs.live.call(trace.program))
            trace = replace(trace, program=program)
        return trace

    def _take(self, trace: JaxvizTrace, now: Trace, implied: bool) -> Iterator[Trace]:
        """Removes and yields a trace after the traces within it, with time and place of `now`.
        `implied`: the trace is within another one."""
        for number in (*trace.within, trace.number):
            taken = self._unused.pop(number, None)
            if taken is not None:
                is_inner = implied or taken is not trace
                yield replace(
                    taken.trace,
                    site=now.site,
                    start=now.start,
                    seconds=0.0,
                    depth=now.depth + (1 if is_inner else 0),
                    thread=now.thread,
                    cleared=now.cleared,
                    looked=True,
                    implied=is_inner,
                )

    def _unused_trace(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace of jaxviz that made the jaxpr; None if there is none or a call reused it."""
        number = None if jaxpr is None else self._by_jaxpr.get(jaxpr)
        return None if number is None else self._unused.get(number)

    def _assign(self, function: Function, avals: Iterable[Any], jaxpr: Any) -> bool:
        """Assigns `jaxpr` to the trace of the function with these avals; False if there is none."""
        types = [_type(aval) for aval in avals]
        for one in self._of(function):
            if one.types == types:
                return self._by_jaxpr.set(jaxpr, one.number)
        return False

    def _derived_from(self, function: Function, jaxpr: Any) -> JaxvizTrace | None:
        """A trace of the function from which grad or vmap may have derived the jaxpr: its argument
        types are among the jaxpr's, in the same order. One may lack a batch dimension."""
        types = [_type(var.aval) for var in jaxpr.invars]
        return next((one for one in self._of(function) if _within(one.types, types)), None)

    def _of(self, function: Function) -> list[JaxvizTrace]:
        """The traces of a function, latest first. Digests of the code are not compared, since debug
        info has none."""
        written = function._replace(code="")
        traces = reversed(self._unused.values())
        return [one for one in traces if one.trace.function._replace(code="") == written]


def _type(aval: Any) -> Type:
    shape = tuple(getattr(aval, "shape", ()))
    return shape, str(getattr(aval, "dtype", "")), bool(getattr(aval, "weak_type", False))


def _within(own: list[Type], types: list[Type]) -> bool:
    """True if `own` has types, and all are among `types` in the same order."""
    rest = iter(types)
    return bool(own) and all(any(_made_of(one, other) for other in rest) for one in own)


def _made_of(own: Type, other: Type) -> bool:
    if own == other:
        return True
    shape, batched = own[0], other[0]
    return own[1:] == other[1:] and any(
        batched[:i] + batched[i + 1 :] == shape for i in range(len(batched))
    )
