"""Turns each announcement of JAX's into the facts to report: of which function, with which
arguments, and which program it made."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._called import PRIMITIVES, traced_by_loop
from jaxviz.capture.events.announcements import (
    Announced,
    Claims,
    JaxEvent,
    Span,
    announced,
    attempt,
    fact_of,
)
from jaxviz.capture.events.describe import options_of, placements_of, signature_of_jaxpr
from jaxviz.capture.events.functions import is_jax, is_ours
from jaxviz.capture.events.heard_calls import heard_call
from jaxviz.capture.events.input_paths import paths_of
from jaxviz.capture.events.jaxviz_traces import Meetings
from jaxviz.capture.events.nested import Nested, Traced
from jaxviz.capture.events.programs import KnownProgram, Programs
from jaxviz.capture.events.trace_cache import Clears, Silent
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.shown.strings import name
from jaxviz.signature import Fact, Function


class Reader:
    """Reads announcements, and remembers what later ones need.

    Jaxprs and modules are remembered by weak references alone.
    """

    def __init__(self) -> None:
        self.programs = Programs()
        self.clears = Clears()
        self.silent = Silent(self.programs.identities)
        self._claims = Claims(self.programs)
        self._meetings = Meetings(self.programs)
        self._nested = Nested(self.programs, self.silent)

    def read(self, span: Span, frame: FrameType) -> Iterator[Fact | JaxEvent]:
        """The events that an announcement stands for, in the order in which they happened. There is
        none if JAX found the trace in its cache."""
        if span.kind != "trace":
            yield from self._later(span, frame)
            return
        for found in self._traces(span, frame):
            yield self._told(found.fact) if isinstance(found, Traced) else found

    def _told(self, fact: Fact) -> Fact:
        return replace(fact, is_kept=self.programs.identities.is_kept(fact.function, fact.identity))

    def look(self, span: Span, frame: FrameType, within: list[int]) -> None:
        """Remembers a trace that jaxviz made. `within` has the numbers of the earlier traces of the
        same look; new ones are added."""
        if span.kind != "trace":
            return
        for found in self._traces(span, frame, looking=True):
            if isinstance(found, Traced):
                self._meetings.remember(found.fact, found.jaxpr, found.avals, within)

    def _traces(
        self, span: Span, frame: FrameType, looking: bool = False
    ) -> Iterator[Traced | Fact | JaxEvent]:
        """The announced trace, if it is new, after those within it that JAX did not announce."""
        trace = announced(span, frame, self.programs)
        program = self._claims.claim(trace)
        self._silence(trace, program)
        if program is not None and not trace.is_apart:
            yield from self._of_user(trace, program, looking)
            return
        fact = self._fact(span, frame, trace.function, trace.identity)
        if self.silent.held:
            yield from self._nested.traces(fact, frame, [])
        self.silent.expected |= bool(span.earlier)
        if program is not None:
            yield from self._of_jax(trace, fact)
        elif not looking:
            yield from self._meetings.of_jaxpr(trace.ended.jaxpr, fact, trace.call)

    def _silence(self, trace: Announced, program: int | None) -> None:
        """Notes an announced trace, so that it is not found again among the silent ones."""
        asked = trace.asked
        if asked is not None and program is not None and not trace.is_apart:
            source, made = seen.source_of(trace.ended.jaxpr), trace.ended.call
            whom = source if made is None else self.programs.identities.of(made.fun)
            self.silent.announce(whom, asked)
        self.silent.open(trace.span.traces)

    def _of_jax(self, trace: Announced, fact: Fact) -> Iterator[Traced | JaxEvent]:
        """The event of a trace of JAX's own function. For a loop outside jit, the traces of the
        user's functions in it stand in its place."""
        span, jaxpr = trace.span, trace.ended.jaxpr
        loops: list[Traced] = []
        if span.name in PRIMITIVES and not span.traces:
            bodies = traced_by_loop(trace.frame)
            jits = [jit for body in bodies for jit in census(body.jaxpr).jits]
            yield from self._nested.traces(fact, trace.frame, jits)
            loops = list(self._nested.by_loop(fact, trace.frame, jaxpr, bodies))
        yield from loops or [JaxEvent(span.kind, span.start, span.seconds)]

    def _of_user(
        self, trace: Announced, program: int, looking: bool
    ) -> Iterator[Traced | Fact | JaxEvent]:
        """The trace of a function of the user's, after those that were made within it."""
        span, frame, jaxpr, made = trace.span, trace.frame, trace.ended.jaxpr, trace.ended.call
        eqns, jits = (None, list[Any]()) if jaxpr is None else census(jaxpr)
        fact = self._fact(span, frame, trace.function, trace.identity, eqns)
        if not looking:
            yield from self._meetings.of_inner(jits, fact)
        is_expected = self.silent.held or self.silent.expected or span.earlier != 0
        likely = is_expected or trace.asked is None
        if likely or span.bodies != 1:
            failed = made.fun if jaxpr is None and made is not None else None
            yield from self._nested.traces(fact, frame, jits, failed, likely or jaxpr is None)
        own, signature = trace.call, trace.signature
        if jaxpr is not None and signature and made is not None and own is not None:
            self.programs.name_inputs(jaxpr, attempt(lambda: paths_of(made, own)) or {})
            if own is made:
                call = attempt(lambda: heard_call(made, signature, trace.ended))
                self.programs.live.note(program, call)
        effects = bool(getattr(jaxpr, "effects", None))
        fact = replace(fact, program=program, signature=signature, effects=effects)
        yield Traced(fact, jaxpr, trace.avals)

    def _later(self, span: Span, frame: FrameType) -> Iterator[Fact | JaxEvent]:
        """The event of a lowering or compilation, after traces that it is the first to tell of. Its
        program is known by its jaxpr, or by the module that was lowered."""
        if is_ours(frame):
            return
        lowering, module = seen.lowering_of(frame), seen.module_of(frame)
        jaxpr = None if lowering is None else lowering.jaxpr
        known = self.programs.of(jaxpr) or self.programs.of_module(module)
        if span.kind == "lower":
            yield from self._traced_before(span, frame, jaxpr, known)
            known = self.programs.of(jaxpr) or known
        known = known or self._derived(span, frame, jaxpr)
        self.programs.lowered(module, known)
        if is_jax(known.function):
            yield JaxEvent(span.kind, span.start, span.seconds)
        else:
            yield self._made_later(span, frame, known, lowering)

    def _traced_before(
        self, span: Span, frame: FrameType, jaxpr: Any, known: KnownProgram | None
    ) -> Iterator[Fact]:
        """Traces that a lowering is the first to tell of: one that jaxviz made and that the user's
        call met, and those that JAX did not announce."""
        function = self.programs.named(jaxpr) if known is None else known.function
        if self._meetings and function is not None and not is_jax(function):
            fact = self._fact(span, frame, function, None)
            yield from self._meetings.at_lowering(frame, jaxpr, function, fact)
        if known is not None or self.programs.of(jaxpr) is not None:
            return
        if span.earlier == 0 and not self.silent.expected:
            return
        function = self._function(span, jaxpr)
        if not is_jax(function):
            fact = self._fact(span, frame, function, None)
            for found in self._nested.traces(fact, frame, []):
                yield found.fact

    def _derived(self, span: Span, frame: FrameType, jaxpr: Any) -> KnownProgram:
        """A new program for a jaxpr that no trace made, but grad, vmap or the like."""
        function, role = self._function(span, jaxpr), seen.role_of(frame)
        return KnownProgram(
            self.programs.remember(jaxpr, function, None, role), function, None, role
        )

    def _function(self, span: Span, jaxpr: Any) -> Function:
        """The function that the jaxpr's debug info names, else one with the name `f` of JAX's label
        `jit(f)`, without a place."""
        label = span.name.removeprefix("jit(").removesuffix(")")
        return self.programs.named(jaxpr) or Function(name(label), "", 0)

    def _made_later(
        self, span: Span, frame: FrameType, known: KnownProgram, lowering: seen.Lowering | None
    ) -> Fact:
        """The event of a lowering or compilation of the user's function. Placements and options are
        read from `lowering`; without it they are None."""
        jaxpr = None if lowering is None else lowering.jaxpr
        attempt(lambda: self.programs.name_inputs_of_call(jaxpr, frame, known.identity))
        names = self.programs.inputs_of(jaxpr)
        return replace(
            self._fact(span, frame, known.function, known.identity),
            program=known.program,
            role=known.role or ("" if known.identity is not None else seen.role_of(frame)),
            signature=None if jaxpr is None else attempt(lambda: signature_of_jaxpr(jaxpr, names)),
            placements=lowering and attempt(lambda: placements_of(names, lowering.args)),
            options=lowering and attempt(lambda: options_of(lowering.options)),
        )

    def _fact(
        self,
        span: Span,
        frame: FrameType,
        function: Function,
        identity: int | None,
        eqns: int | None = None,
    ) -> Fact:
        return fact_of(span, frame, function, identity, self.clears.count, eqns)
