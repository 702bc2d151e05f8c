"""Remembers the traces that jaxviz made to show a program, and reports each of them when the first
call of the user's finds it in JAX's cache.

Had the user not looked, that call would have traced: so it is reported as the one that did.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.announcements import attempt
from jaxviz.capture.events.describe import signature_of
from jaxviz.capture.events.programs import KnownProgram, Programs
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.weak import Weak
from jaxviz.schema.signature import Function, Trace

TRACES_REMEMBERED = 10_000
"""How many traces are remembered: the latest."""

Type = tuple[tuple[Any, ...], str, bool]
"""Shape, dtype, and whether the type is weak."""


class JaxvizTrace(NamedTuple):
    """A trace that jaxviz made."""

    number: int
    trace: Trace
    types: list[Type]
    """Of its arguments."""
    within: tuple[int, ...]
    """The numbers of the traces that were made within it."""


class JaxvizTraces:
    """The traces that jaxviz made and no call of the user's has reused yet. Each is given to the
    first call that reuses it.

    Traces are strings and numbers. Jaxprs are referred to weakly. `now` is in all methods what JAX
    announced for the user's call.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._known: OrderedDict[int, JaxvizTrace] = OrderedDict()
        self._by_jaxpr: Weak[int] = Weak()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._known)

    def remember(self, trace: Trace, within: list[int]) -> None:
        """Remembers a trace that jaxviz made. `within` has the numbers of the earlier traces of the
        same look; its own is added."""
        self._count += 1
        number, objects = self._count, trace.objects
        types = [_type(aval) for aval in objects.avals]
        trace = replace(trace, objects=None)
        self._known[number] = JaxvizTrace(number, trace, types, tuple(within))
        within.append(number)
        if objects.jaxpr is not None:
            self._by_jaxpr.set(objects.jaxpr, number)
        if len(self._known) > TRACES_REMEMBERED:
            self._known.popitem(last=False)

    def of_jaxpr(self, jaxpr: Any, now: Trace, call: Call | None = None) -> Iterator[Trace]:
        """The trace that made `jaxpr`, if it is jaxviz's and no call has met it. Traces within it
        that no call has met come before it."""
        look = self._made(jaxpr)
        if look is not None:
            yield from self.of_inner(census(jaxpr).jits, now)
            *within, own = self._take(look, now, implied=False)
            yield from within
            yield self._as_called(own, jaxpr, call)

    def of_inner(self, jits: list[Any], now: Trace) -> Iterator[Trace]:
        """The traces of jaxviz's that made `jits`, the jaxprs within the one that the user's call
        traced or met."""
        if self._known:
            for jaxpr in jits:
                look = self._made(jaxpr) or self._derived(jaxpr)
                if look is not None:
                    yield from self._take(look, now, implied=True)

    def at_lowering(self, frame: FrameType | None, jaxpr: Any, now: Trace) -> Iterator[Trace]:
        """The trace of jaxviz's that made the jaxpr that is lowered, or the one from which grad or
        vmap made it.

        A transposed jaxpr is not matched by its avals: it takes residuals, which may look like the
        function's arguments, and its forward half has been lowered before.
        """
        call = seen.call_of(frame)
        candidates = [*seen.jaxprs_called(frame), jaxpr]
        for one in candidates:
            yield from self.of_jaxpr(one, now, call)
        if any(map(self._is_users, candidates)) or seen.role_of(frame).startswith("transpose"):
            return
        for one in candidates:
            if self._place(now.function, [var.aval for var in one.invars], one):
                yield from self.of_jaxpr(one, now, call)
                return
        look = self._derived_from(now.function, jaxpr)
        if look is not None:
            yield from self._take(look, now, implied=False)

    def _is_users(self, jaxpr: Any) -> bool:
        return _identity_of(self._programs.of(jaxpr)) is not None

    def _derived(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace from which grad or vmap may have made a jaxpr that no trace is known for."""
        function = self._programs.named(jaxpr)
        if function is None or self._is_users(jaxpr):
            return None
        return self._derived_from(function, jaxpr)

    def _as_called(self, trace: Trace, jaxpr: Any, call: Call | None) -> Trace:
        """The trace with the signature of the user's `call`, if that is of the same function, and
        with a new program, unless the jaxpr is known to be of its own."""
        whose = None if call is None else self._programs.whose(call, None)
        if whose is not None and whose.identity is not None and whose.identity == trace.identity:
            call = whose.call
            trace = replace(trace, signature=attempt(lambda: signature_of(call)) or trace.signature)
        known = self._programs.of(jaxpr)
        if known is None or known.program != trace.program:
            program = self._programs.remember(jaxpr, trace.function, trace.identity)
            self._programs.live.note(program, self._programs.live.call(trace.program))
            trace = replace(trace, program=program)
        return trace

    def _take(self, look: JaxvizTrace, now: Trace, implied: bool) -> Iterator[Trace]:
        """Removes a trace and those within it, and gives them, its own last."""
        for number in (*look.within, look.number):
            taken = self._known.pop(number, None)
            if taken is not None:
                yield _reported_now(taken.trace, now, implied or taken is not look)

    def _made(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace that made the jaxpr, if jaxviz made it and no call has reused it."""
        number = None if jaxpr is None else self._by_jaxpr.get(jaxpr)
        return None if number is None else self._known.get(number)

    def _place(self, function: Function, avals: Iterable[Any], jaxpr: Any) -> bool:
        """Whether a trace of the function with these avals is remembered; `_made` finds it by
        `jaxpr` from now on."""
        types = [_type(aval) for aval in avals]
        for look in self._of(function):
            if look.types == types:
                return self._by_jaxpr.set(jaxpr, look.number)
        return False

    def _derived_from(self, function: Function, jaxpr: Any) -> JaxvizTrace | None:
        """A trace of the function from which grad or vmap may have made the jaxpr: the avals of its
        arguments are among the jaxpr's, in the same order. One may have a batch dimension more."""
        types = [_type(var.aval) for var in jaxpr.invars]
        return next((look for look in self._of(function) if _within(look.types, types)), None)

    def _of(self, function: Function) -> list[JaxvizTrace]:
        """The traces of a function, latest first. The digest of the code is not compared, since
        debug info of a jaxpr has none."""
        written = function._replace(code="")
        looks = reversed(self._known.values())
        return [look for look in looks if look.trace.function._replace(code="") == written]


def _type(aval: Any) -> Type:
    shape = tuple(getattr(aval, "shape", ()))
    return shape, str(getattr(aval, "dtype", "")), bool(getattr(aval, "weak_type", False))


def _within(own: list[Type], types: list[Type]) -> bool:
    """Whether all types in `own` are found among `types` in the same order; False without any."""
    rest = iter(types)
    return bool(own) and all(any(_made_of(one, other) for other in rest) for one in own)


def _made_of(own: Type, other: Type) -> bool:
    if own == other:
        return True
    shape, batched = own[0], other[0]
    return own[1:] == other[1:] and any(
        batched[:i] + batched[i + 1 :] == shape for i in range(len(batched))
    )


def _reported_now(trace: Trace, now: Trace, implied: bool) -> Trace:
    """A trace of jaxviz's, at the time and the place of `now`, the user's call that reused it.
    `implied` says that it lay within another trace."""
    return replace(
        trace,
        site=now.site,
        start=now.start,
        seconds=0.0,
        depth=now.depth + (1 if implied else 0),
        thread=now.thread,
        cleared=now.cleared,
        looked=True,
        implied=implied,
    )


def _identity_of(known: KnownProgram | None) -> int | None:
    return None if known is None else known.identity
