"""Turns each announcement of JAX's into the traces to report: of which function, with which
arguments, and which program it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._called import PRIMITIVES, traced_by_loop
from jaxviz.capture.events.announcements import (
    Objects,
    announced,
    attempt,
    located,
)
from jaxviz.capture.events.describe import options_of, placements_of, signature_of_jaxpr
from jaxviz.capture.events.functions import is_jax, is_ours
from jaxviz.capture.events.input_paths import paths_of
from jaxviz.capture.events.jaxviz_traces import JaxvizTraces
from jaxviz.capture.events.nested import Nested
from jaxviz.capture.events.programs import KnownProgram, Programs, noted_call
from jaxviz.capture.events.trace_cache import Clears, TraceCache
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.shown.strings import name
from jaxviz.schema.signature import Function, Op, Trace


class Reader:
    """Reads announcements, and remembers what later ones need.

    Jaxprs and modules are remembered by weak references alone. `heard` is in all methods what JAX
    announces now.
    """

    def __init__(self) -> None:
        self.programs = Programs()
        self.clears = Clears()
        self.cache = TraceCache(self.programs.identities)
        self._jaxviz_traces = JaxvizTraces(self.programs)
        self._nested = Nested(self.programs, self.cache)

    def read(self, heard: Trace) -> Iterator[Trace]:
        """The traces that an announcement stands for, in the order in which they happened. There is
        none if JAX found the trace in its cache."""
        if heard.kind != "trace":
            yield from self._later(heard)
            return
        for trace in self._traces(heard):
            if trace.objects is None:
                yield trace
                continue
            is_kept = self.programs.identities.is_kept(trace.function, trace.identity)
            yield replace(trace, is_kept=is_kept, objects=None)

    def look(self, heard: Trace, within: list[int]) -> None:
        """Remembers a trace that jaxviz made. `within` has the numbers of the earlier traces of the
        same look; new ones are added."""
        if heard.kind == "trace":
            for trace in self._traces(heard, looking=True):
                if trace.objects is not None:
                    self._jaxviz_traces.remember(trace, within)

    def _traces(self, heard: Trace, looking: bool = False) -> Iterator[Trace]:
        """The announced trace, if it is new, after those within it that JAX did not announce. New
        traces of the user's functions have their `objects`."""
        trace = announced(heard, self.programs)
        program = self.programs.claim(trace)
        self._note_announced(trace, program)
        apart = is_jax(trace.function)
        if program is not None and not apart:
            yield from self._of_user(trace, program, looking)
            return
        now = self._located(heard, trace.function, trace.identity)
        if self.cache.held:
            yield from self._nested.traces(now, heard.objects.frame, [])
        self.cache.expected |= bool(heard.objects.earlier)
        if program is not None:
            yield from self._of_jax(trace.objects, now)
        elif not looking:
            objects = trace.objects
            yield from self._jaxviz_traces.of_jaxpr(objects.jaxpr, now, objects.call)

    def _note_announced(self, trace: Trace, program: int | None) -> None:
        """Notes an announced trace, so that it is not found again in JAX's cache."""
        objects: Objects = trace.objects
        if objects.asked is not None and program is not None and not is_jax(trace.function):
            source = seen.source_of(objects.jaxpr)
            made = objects.made
            whom = source if made is None else self.programs.identities.of(made.fun)
            self.cache.announce(whom, objects.asked)
        self.cache.open(objects.traces)

    def _of_jax(self, objects: Objects, now: Trace) -> Iterator[Trace]:
        """The trace of JAX's own function. For a loop outside jit, the traces of the user's
        functions in it stand in its place."""
        loops: list[Trace] = []
        if objects.label in PRIMITIVES and not objects.traces:
            bodies = traced_by_loop(objects.frame)
            jits = [jit for body in bodies for jit in census(body.jaxpr).jits]
            yield from self._nested.traces(now, objects.frame, jits)
            loops = list(self._nested.by_loop(now, objects, bodies))
        yield from loops or [replace(now, op=Op())]

    def _of_user(self, trace: Trace, program: int, looking: bool) -> Iterator[Trace]:
        """The trace of a function of the user's, after those that were made within it."""
        objects: Objects = trace.objects
        jaxpr, made = objects.jaxpr, objects.made
        eqns, jits = (None, list[Any]()) if jaxpr is None else census(jaxpr)
        now = replace(self._located(trace, trace.function, trace.identity), eqns=eqns)
        if not looking:
            yield from self._jaxviz_traces.of_inner(jits, now)
        is_expected = self.cache.held or self.cache.expected or objects.earlier != 0
        likely = is_expected or objects.asked is None
        if likely or objects.bodies != 1:
            failed = made.fun if jaxpr is None and made is not None else None
            yield from self._nested.traces(
                now, objects.frame, jits, failed, likely or jaxpr is None
            )
        own, signature = objects.call, trace.signature
        if jaxpr is not None and signature and made is not None and own is not None:
            self.programs.name_inputs(jaxpr, attempt(lambda: paths_of(made, own)) or {})
            if own is made:
                call = attempt(lambda: noted_call(made, signature, objects.ended))
                self.programs.live.note(program, call)
        effects = bool(getattr(jaxpr, "effects", None))
        yield replace(now, program=program, signature=signature, effects=effects, objects=objects)

    def _later(self, heard: Trace) -> Iterator[Trace]:
        """The lowering or compilation, after traces that it is the first to show. Its program is
        known by its jaxpr, or by the module that was lowered."""
        frame = heard.objects.frame
        if is_ours(frame):
            return
        lowering, module = seen.lowering_of(frame), seen.module_of(frame)
        jaxpr = None if lowering is None else lowering.jaxpr
        known = self.programs.of(jaxpr) or self.programs.of_module(module)
        if heard.kind == "lower":
            yield from self._traced_before(heard, jaxpr, known)
            known = self.programs.of(jaxpr) or known
        known = known or self._derived(heard, jaxpr)
        self.programs.lowered(module, known)
        if is_jax(known.function):
            yield replace(heard, op=Op(), objects=None)
        else:
            yield self._made_later(heard, known, lowering)

    def _traced_before(
        self, heard: Trace, jaxpr: Any, known: KnownProgram | None
    ) -> Iterator[Trace]:
        """Traces that a lowering is the first to show: one that jaxviz made and that the user's
        call reused, and those that JAX did not announce."""
        function = self.programs.named(jaxpr) if known is None else known.function
        if self._jaxviz_traces and function is not None and not is_jax(function):
            now = self._located(heard, function, None)
            yield from self._jaxviz_traces.at_lowering(heard.objects.frame, jaxpr, now)
        if known is not None or self.programs.of(jaxpr) is not None:
            return
        if heard.objects.earlier == 0 and not self.cache.expected:
            return
        function = self._function(heard, jaxpr)
        if not is_jax(function):
            now = self._located(heard, function, None)
            for trace in self._nested.traces(now, heard.objects.frame, []):
                yield replace(trace, objects=None)

    def _derived(self, heard: Trace, jaxpr: Any) -> KnownProgram:
        """A new program for a jaxpr that no trace made, but grad, vmap or the like."""
        function, role = self._function(heard, jaxpr), seen.role_of(heard.objects.frame)
        return KnownProgram(
            self.programs.remember(jaxpr, function, None, role), function, None, role
        )

    def _function(self, heard: Trace, jaxpr: Any) -> Function:
        """The function that the jaxpr's debug info names, else one with the name `f` of JAX's label
        `jit(f)`, without a place."""
        label = heard.objects.label.removeprefix("jit(").removesuffix(")")
        return self.programs.named(jaxpr) or Function(name(label), "", 0)

    def _made_later(
        self, heard: Trace, known: KnownProgram, lowering: seen.Lowering | None
    ) -> Trace:
        """The lowering or compilation of the user's function. Placements and options are read from
        `lowering`; without it they are None."""
        frame = heard.objects.frame
        jaxpr = None if lowering is None else lowering.jaxpr
        attempt(lambda: self.programs.name_inputs_of_call(jaxpr, frame, known.identity))
        names = self.programs.inputs_of(jaxpr)
        return replace(
            self._located(heard, known.function, known.identity),
            program=known.program,
            role=known.role or ("" if known.identity is not None else seen.role_of(frame)),
            signature=None if jaxpr is None else attempt(lambda: signature_of_jaxpr(jaxpr, names)),
            placements=lowering and attempt(lambda: placements_of(names, lowering.args)),
            options=lowering and attempt(lambda: options_of(lowering.options)),
        )

    def _located(self, heard: Trace, function: Function, identity: int | None) -> Trace:
        return located(heard, function, identity, self.clears.count)
