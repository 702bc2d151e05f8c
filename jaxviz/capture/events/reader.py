"""Reads off the stack what was traced, lowered or compiled, for whom, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from threading import RLock
from types import FrameType
from typing import Any, TypeVar

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture._loops import PRIMITIVES
from jaxviz.capture.events.clears import Clears
from jaxviz.capture.events.describe import (
    options_of,
    placements_of,
    signature_of,
    signature_of_jaxpr,
)
from jaxviz.capture.events.functions import (
    definition_of,
    failed_line,
    is_apart,
    is_jax,
    is_ours,
    site_of,
)
from jaxviz.capture.events.inner import census
from jaxviz.capture.events.looked import Look, Looked, told
from jaxviz.capture.events.nested import Nested, Traced
from jaxviz.capture.events.paths import paths_of
from jaxviz.capture.events.programs import Known, Programs
from jaxviz.capture.events.silent import Silent
from jaxviz.capture.events.spans import Apart, Span
from jaxviz.capture.strings import name
from jaxviz.signature import Fact, Function, Signature

Result = TypeVar("Result")

FAILED = 1_000
"""Traces that failed and are remembered at most."""


class Reader:
    """Remembers jaxprs and modules by weak references alone."""

    def __init__(self) -> None:
        self.programs = Programs()
        self.clears = Clears()
        self.silent = Silent(self.programs.identities)
        self._nested = Nested(self.programs, self.silent)
        self._looked = Looked()
        self._failed: set[Hashable] = set()
        """Traces that failed, by function object and signature: JAX's cache counts the next as one
        that it had."""
        self._lock = RLock()

    def read(self, span: Span, frame: FrameType) -> Iterator[Fact | Apart]:
        """What happened, in its order: nothing, where a trace was found in a cache."""
        if span.kind != "trace":
            yield from self._later(span, frame)
            return
        for found in self._traces(span, frame):
            yield found.fact if isinstance(found, Traced) else found

    def look(self, span: Span, frame: FrameType, within: list[int]) -> None:
        """Remembers what jaxviz traced itself. `within` has what it traced before in the same
        look, and is added to."""
        if span.kind != "trace":
            return
        for found in self._traces(span, frame, looking=True):
            if isinstance(found, Traced):
                number = self._looked.add(found.fact, found.jaxpr, found.avals, tuple(within))
                within.append(number)

    def _traces(
        self, span: Span, frame: FrameType, looking: bool = False
    ) -> Iterator[Traced | Fact | Apart]:
        made = seen.call_of(frame, tracing=True)
        whose = None if made is None else self.programs.whose(made, frame)
        jaxpr = seen.traced_jaxpr(frame)
        named = self.programs.named(jaxpr) or Function(name(span.name), "", 0)
        function, identity, call = whose or (named, None, None)
        self.programs.meet(function, seen.source_of(jaxpr), call)
        apart = is_apart(function, span.depth > 0)
        signature = None if apart else _attempt(lambda: _signature(call, jaxpr))
        failing = jaxpr is None or bool(self._failed)
        key = (identity, signature.digest()) if signature and failing else None
        program = self._claim(span, jaxpr, function, identity, key)
        avals = () if jaxpr is None else tuple(var.aval for var in jaxpr.invars)
        if jaxpr is not None and program is not None and not apart:
            source = seen.source_of(jaxpr)
            whom = source if made is None else self.programs.identities.of(made.fun)
            self.silent.announce(whom, avals)
        self.silent.open(span.traces)
        if program is None:
            fact = self._fact(span, frame, function, identity)
            yield from self._held(fact, frame)
            if not looking:
                yield from self._met(jaxpr, fact, call)
            return
        if apart:
            fact = self._fact(span, frame, function, identity)
            yield from self._held(fact, frame)
            if span.name in PRIMITIVES and not span.traces:
                loops = list(self._nested.by_loop(fact, frame, jaxpr))
                if loops:
                    yield from loops
                    return
            yield Apart(span.kind, span.start, span.seconds)
            return
        eqns, jits = (None, list[Any]()) if jaxpr is None else census(jaxpr)
        fact = self._fact(span, frame, function, identity, eqns)
        if not looking:
            yield from self._met_within(jits, fact)
        likely = self.silent.held or span.earlier != 0 or jaxpr is None
        if likely or span.bodies != 1:
            failed = made.fun if jaxpr is None and made is not None else None
            yield from self._nested.traces(fact, frame, jits, failed, likely)
        if made is not None and call is not None and signature is not None:
            self.programs.name_inputs(jaxpr, _attempt(lambda: paths_of(made, call)) or {})
        effects = bool(getattr(jaxpr, "effects", None))
        fact = replace(fact, program=program, signature=signature, effects=effects)
        yield Traced(fact, jaxpr, avals)

    def _held(self, fact: Fact, frame: FrameType) -> Iterator[Traced]:
        if self.silent.held:
            yield from self._nested.traces(fact, frame, [])

    def _claim(
        self, span: Span, jaxpr: Any, function: Function, identity: int | None, key: Hashable
    ) -> int | None:
        """The number of a new program; None where a cache had it. Of threads that wait for one
        trace the first has it."""
        with self._lock:
            reused = self._is_reused(span, jaxpr) and key not in self._failed
            self._failed.discard(key)
            if jaxpr is None and key is not None and len(self._failed) < FAILED:
                self._failed.add(key)
            if reused and self.programs.of(jaxpr) is not None:
                return None
            own = None if is_jax(function) else identity
            program = self.programs.remember(jaxpr, function, own)
        return None if reused else program

    def _is_reused(self, span: Span, jaxpr: Any) -> bool:
        """From 0.9 on JAX announces a trace also where its cache has the jaxpr."""
        return jaxpr is not None and (span.bodies == 0 or self.programs.of(jaxpr) is not None)

    def _met(self, jaxpr: Any, now: Fact, call: Call | None = None) -> Iterator[Fact]:
        """The trace of a jaxpr that jaxviz made, where this is the user's first call to meet it,
        after those within it that were not met either."""
        look = self._looked.of(jaxpr) if self._looked else None
        if look is not None:
            yield from self._met_within(census(jaxpr).jits, now)
            *within, own = self._take(look, now, implied=False)
            yield from within
            yield self._as_called(own, jaxpr, call)

    def _as_called(self, fact: Fact, jaxpr: Any, call: Call | None) -> Fact:
        """The trace with the arguments of the user's own call, and with a program."""
        whose = None if call is None else self.programs.whose(call, None)
        if whose is not None and whose.identity is not None and whose.identity == fact.identity:
            call = whose.call
            fact = replace(fact, signature=_attempt(lambda: signature_of(call)) or fact.signature)
        known = self.programs.of(jaxpr)
        if known is None or known.program != fact.program:
            program = self.programs.remember(jaxpr, fact.function, fact.identity)
            fact = replace(fact, program=program)
        return fact

    def _met_within(self, jits: list[Any], now: Fact) -> Iterator[Fact]:
        """The same of jaxprs within the one that the user's call traced or met."""
        if self._looked:
            for jaxpr in jits:
                function = self.programs.named(jaxpr)
                look, known = self._looked.of(jaxpr), self.programs.of(jaxpr)
                whose = None if known is None else known.identity
                if look is None and function is not None and whose is None:
                    look = self._looked.derived(function, [var.aval for var in jaxpr.invars])
                if look is not None:
                    yield from self._take(look, now, implied=True)

    def _take(self, look: Look, now: Fact, implied: bool) -> Iterator[Fact]:
        for fact in self._looked.take(look):
            yield told(fact, now, implied or fact is not look.fact)

    def _later(self, span: Span, frame: FrameType) -> Iterator[Fact | Apart]:
        """A lowering or compilation: known by its jaxpr, or by the module that was lowered."""
        if is_ours(frame):
            return
        lowering, module = seen.lowering_of(frame), seen.module_of(frame)
        jaxpr = None if lowering is None else lowering.jaxpr
        known = self.programs.of(jaxpr) or self.programs.of_module(module)
        if self._looked and span.kind == "lower":
            yield from self._met_at_last(span, frame, jaxpr, known)
            known = self.programs.of(jaxpr) or known
        if known is None:
            function = self.programs.named(jaxpr) or Function(_bare(span.name), "", 0)
            if span.kind == "lower" and span.earlier != 0 and not is_jax(function):
                fact = self._fact(span, frame, function, None)
                for found in self._nested.traces(fact, frame, []):
                    yield found.fact
            known = self._derived(span, frame, jaxpr)
        self.programs.lowered(module, known)
        if is_jax(known.function):
            yield Apart(span.kind, span.start, span.seconds)
            return
        fact = self._fact(span, frame, known.function, known.identity)
        _attempt(lambda: self.programs.name_inputs_of_call(jaxpr, frame, known.identity))
        names = self.programs.inputs_of(jaxpr)
        yield replace(
            fact,
            program=known.program,
            role=known.role or ("" if known.identity is not None else seen.role_of(frame)),
            signature=None if jaxpr is None else _attempt(lambda: signature_of_jaxpr(jaxpr, names)),
            placements=lowering and _attempt(lambda: placements_of(names, lowering.args)),
            options=lowering and _attempt(lambda: options_of(lowering.options)),
        )

    def _met_at_last(
        self, span: Span, frame: FrameType, jaxpr: Any, known: Known | None
    ) -> Iterator[Fact]:
        """At a lowering: the trace of its jaxpr, or of that from which grad or vmap made it. A
        transposed one comes after its other half, and takes residuals that look like arguments."""
        function = self.programs.named(jaxpr) if known is None else known.function
        if function is None or is_jax(function):
            return
        fact = self._fact(span, frame, function, None)
        call = seen.call_of(frame, tracing=False)
        candidates = [*seen.jaxprs_called(frame), jaxpr]
        for one in candidates:
            yield from self._met(one, fact, call)
        met = any(one and one.identity is not None for one in map(self.programs.of, candidates))
        if met or seen.role_of(frame).startswith("transpose"):
            return
        for one in candidates:
            if self._looked.place(function, [var.aval for var in one.invars], one):
                yield from self._met(one, fact, call)
                return
        look = self._looked.derived(function, [var.aval for var in jaxpr.invars])
        if look is not None:
            yield from self._take(look, fact, implied=False)

    def _derived(self, span: Span, frame: FrameType, jaxpr: Any) -> Known:
        """Whose a jaxpr is that grad, vmap or the like made."""
        function = self.programs.named(jaxpr) or Function(_bare(span.name), "", 0)
        role = seen.role_of(frame)
        return Known(self.programs.remember(jaxpr, function, None, role), function, None, role)

    def _fact(
        self,
        span: Span,
        frame: FrameType,
        function: Function,
        identity: int | None,
        eqns: int | None = None,
    ) -> Fact:
        error = seen.failure_of(frame)
        return Fact(
            kind=span.kind,
            function=function,
            definition=_attempt(lambda: definition_of(function)),
            identity=identity,
            signature=None,
            placements=None,
            program=None,
            options=None,
            role="",
            cleared=self.clears.count,
            site=_attempt(lambda: site_of(frame)),
            start=span.start,
            seconds=span.seconds,
            depth=span.depth,
            thread=span.thread,
            eqns=eqns,
            cached=span.cached,
            error=error,
            failed=_attempt(lambda: failed_line(seen.failed_at(frame))) if error else None,
            implied=False,
        )


def _signature(call: Call | None, jaxpr: Any) -> Signature | None:
    """Of a call that is not known, what its jaxpr tells."""
    if call is not None:
        return signature_of(call)
    return None if jaxpr is None else signature_of_jaxpr(jaxpr, seen.names_of(jaxpr))


def _attempt(read: Callable[[], Result]) -> Result | None:
    """What cannot be read is not known; the event stands without it."""
    try:
        return read()
    except Exception:
        return None


def _bare(label: str) -> str:
    """`f` of `jit(f)`."""
    return name(label.removeprefix("jit(").removesuffix(")"))
