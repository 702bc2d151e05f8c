"""Reports a trace that jaxviz made, when the first call of the user's finds it in JAX's cache.

That call would have traced if jaxviz had not, so it is reported as the one that did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.announced import attempt
from jaxviz.capture.events.describe import signature_of
from jaxviz.capture.events.inner import census
from jaxviz.capture.events.looked import JaxvizTrace, JaxvizTraces, told
from jaxviz.capture.events.programs import KnownProgram, Programs
from jaxviz.signature import Fact, Function


class Meetings:
    """Gives each trace of jaxviz's to the first call of the user's that uses it.

    `now` is in all methods the fact of that call.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._looked = JaxvizTraces()

    def __bool__(self) -> bool:
        return bool(self._looked)

    def remember(self, fact: Fact, jaxpr: Any, avals: tuple[Any, ...], within: list[int]) -> None:
        """Remembers a trace that jaxviz made. `within` has the numbers of the earlier traces of the
        same look; its own is added."""
        within.append(self._looked.add(fact, jaxpr, avals, tuple(within)))

    def of_jaxpr(self, jaxpr: Any, now: Fact, call: Call | None = None) -> Iterator[Fact]:
        """The trace that made `jaxpr`, if it is jaxviz's and no call has met it. Traces within it
        that no call has met come before it."""
        look = self._looked.of(jaxpr) if self._looked else None
        if look is not None:
            yield from self.of_inner(census(jaxpr).jits, now)
            *within, own = self._take(look, now, implied=False)
            yield from within
            yield self._as_called(own, jaxpr, call)

    def of_inner(self, jits: list[Any], now: Fact) -> Iterator[Fact]:
        """The traces of jaxviz's that made `jits`, the jaxprs within the one that the user's call
        traced or met."""
        if self._looked:
            for jaxpr in jits:
                look = self._looked.of(jaxpr) or self._derived(jaxpr)
                if look is not None:
                    yield from self._take(look, now, implied=True)

    def at_lowering(
        self, frame: FrameType, jaxpr: Any, function: Function, now: Fact
    ) -> Iterator[Fact]:
        """The trace of jaxviz's that made the jaxpr that is lowered, or the one from which grad or
        vmap made it.

        A transposed jaxpr is not matched by its avals: it takes residuals, which may look like the
        function's arguments, and its forward half has been lowered before.
        """
        call = seen.call_of(frame, tracing=False)
        candidates = [*seen.jaxprs_called(frame), jaxpr]
        for one in candidates:
            yield from self.of_jaxpr(one, now, call)
        if any(map(self._is_users, candidates)) or seen.role_of(frame).startswith("transpose"):
            return
        for one in candidates:
            if self._looked.place(function, [var.aval for var in one.invars], one):
                yield from self.of_jaxpr(one, now, call)
                return
        look = self._looked.derived(function, [var.aval for var in jaxpr.invars])
        if look is not None:
            yield from self._take(look, now, implied=False)

    def _is_users(self, jaxpr: Any) -> bool:
        return _identity_of(self._programs.of(jaxpr)) is not None

    def _derived(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace from which grad or vmap may have made a jaxpr that no trace is known for."""
        function = self._programs.named(jaxpr)
        if function is None or self._is_users(jaxpr):
            return None
        return self._looked.derived(function, [var.aval for var in jaxpr.invars])

    def _as_called(self, fact: Fact, jaxpr: Any, call: Call | None) -> Fact:
        """The trace with the signature of the user's `call`, if that is of the same function, and
        with a new program, unless the jaxpr is known to be of its own."""
        whose = None if call is None else self._programs.whose(call, None)
        if whose is not None and whose.identity is not None and whose.identity == fact.identity:
            call = whose.call
            fact = replace(fact, signature=attempt(lambda: signature_of(call)) or fact.signature)
        known = self._programs.of(jaxpr)
        if known is None or known.program != fact.program:
            program = self._programs.remember(jaxpr, fact.function, fact.identity)
            fact = replace(fact, program=program)
        return fact

    def _take(self, look: JaxvizTrace, now: Fact, implied: bool) -> Iterator[Fact]:
        for fact in self._looked.take(look):
            yield told(fact, now, implied or fact is not look.fact)


def _identity_of(known: KnownProgram | None) -> int | None:
    return None if known is None else known.identity
