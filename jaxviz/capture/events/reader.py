"""Turns each event of JAX into the traces to report, with function, arguments and program.

JAX passes a name and a duration to its listeners. The function, its arguments and its jaxpr are
local variables of JAX's frames, which are then on the stack. JAX also announces a trace whose jaxpr
was in its cache. Such an event is no trace, and is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Any

import jax
from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._called import PRIMITIVES, traced_by_loop
from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture.donors import Donor, note_donor
from jaxviz.capture.events.describe import (
    arguments_of,
    options_of,
    placements_of,
    signature_of,
    signature_of_jaxpr,
)
from jaxviz.capture.events.frozen.frozen_traces import FrozenTraces
from jaxviz.capture.events.functions import definition_of, failed_line, is_jax, is_jaxviz, site_of
from jaxviz.capture.events.jaxviz_traces import JaxvizTraces
from jaxviz.capture.events.nested import Nested
from jaxviz.capture.events.programs import Objects, Programs, TracedProgram
from jaxviz.capture.events.trace_cache import Clears, TraceCache
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.shown.strings import name
from jaxviz.safety.guard import guarded
from jaxviz.schema import Frame
from jaxviz.schema.signature import Function, Op, Signature, Trace


class Reader:
    """Reads events of JAX, and remembers what later events need. Refers to jaxprs and modules
    weakly. The parameter `event` is the event of now, with its `Objects`."""

    def __init__(self) -> None:
        self.programs = Programs()
        self.clears = Clears()
        self.cache = TraceCache(self.programs.identities)
        self.frozen = FrozenTraces(self.clears)
        self._jaxviz_traces = JaxvizTraces(self.programs)
        self._nested = Nested(self.programs, self.cache)

    def read(self, event: Trace) -> Iterator[Trace]:
        """The traces that an event stands for, in the order of their ends; none if JAX
        found the trace in its cache."""
        if event.kind != "trace":
            yield from self._of_lowering(event)
            return
        for trace in self._traces(event):
            if trace.objects is None:
                yield trace
                continue
            is_kept = self.programs.identities.is_kept(trace.function, trace.identity)
            yield replace(trace, is_kept=is_kept, objects=None)

    def remember(self, event: Trace, within: list[int]) -> None:
        """Remembers a trace of jaxviz. `within` has the numbers of the traces before it in the same
        capture, and new ones are added."""
        if event.kind == "trace":
            for trace in self._traces(event, capturing=True):
                if trace.objects is not None:
                    self._jaxviz_traces.remember(trace, within)

    def _traces(self, event: Trace, capturing: bool = False) -> Iterator[Trace]:
        """The announced trace, if it is new, after the traces within it that JAX did not announce.
        New traces of the user's functions have their `objects`."""
        trace = self._described(event)
        program = self.programs.claim(trace)
        objects: Objects = trace.objects
        of_jax = is_jax(trace.function)
        if objects.cache_avals is not None and program is not None and not of_jax:
            made, source = objects.made, seen.source_of(objects.jaxpr)
            identity = source if made is None else self.programs.identities.of(made.fun)
            self.cache.note_announced(identity, objects.cache_avals)
        self.cache.open(objects.traces)
        if program is not None and not of_jax:
            yield from self._of_user(trace, program, capturing)
            return
        now = self._located(event, trace.function, trace.identity)
        if self.cache.deferred:
            yield from self._nested.traces(now, objects.frame, [])
        self.cache.expected |= bool(objects.earlier)
        if program is not None:
            yield from self._of_jax(objects, now)
        elif not capturing:
            yield from self._jaxviz_traces.of_jaxpr(objects.jaxpr, now, objects.call)

    def _described(self, event: Trace) -> Trace:
        """The announced trace with its function, call and signature. `programs` remembers the
        function, so that a later lowering of its jaxpr finds it."""
        objects: Objects = event.objects
        ended = seen.ended_trace(objects.frame)
        jaxpr = ended.jaxpr
        users = None if ended.call is None else self.programs.resolve(ended.call, objects.frame)
        if users is None:
            users = self.programs.named(jaxpr) or event.function, None, None
        function, identity, call = users
        self.programs.remember_function(function, seen.source_of(jaxpr), call)
        of_jax = is_jax(function)
        guarded(None, _note_donor, ended, function, objects.frame)
        avals = () if of_jax or jaxpr is None else tuple(var.aval for var in jaxpr.invars)
        return replace(
            event,
            function=function,
            identity=identity,
            signature=None if of_jax else guarded(None, _signature, call, jaxpr),
            objects=objects._replace(ended=ended, call=call, jaxpr=jaxpr, avals=avals),
        )

    def _located(self, event: Trace, function: Function, identity: int | None) -> Trace:
        """The event with its function, the user's line, and its error."""
        frame = event.objects.frame
        error = seen.failure_of(frame)
        return replace(
            event,
            function=function,
            definition=guarded(None, definition_of, function),
            identity=identity,
            signature=None,
            cleared=self.clears.count,
            site=guarded(None, site_of, frame),
            error=error,
            failed=guarded(None, _failed, frame) if error else None,
            objects=None,
        )

    def _of_jax(self, objects: Objects, now: Trace) -> Iterator[Trace]:
        """The trace of a function of JAX. For a loop outside jit, the traces of the user's
        functions in it replace the loop's."""
        loops: list[Trace] = []
        if objects.label in PRIMITIVES and not objects.traces:
            bodies = traced_by_loop(objects.frame)
            jits = [jit for body in bodies for jit in census(body.jaxpr).jits]
            yield from self._nested.traces(now, objects.frame, jits)
            loops = list(self._nested.by_loop(now, objects, bodies))
        yield from loops or [replace(now, op=Op())]

    def _of_user(self, trace: Trace, program: int, capturing: bool) -> Iterator[Trace]:
        """The trace of a function of the user, after the traces within it."""
        objects: Objects = trace.objects
        jaxpr, made = objects.jaxpr, objects.made
        eqns, jits = (None, list[Any]()) if jaxpr is None else census(jaxpr)
        now = replace(self._located(trace, trace.function, trace.identity), eqns=eqns)
        if not capturing:
            yield from self._jaxviz_traces.of_inner(jits, now)
        is_expected = self.cache.deferred or self.cache.expected or objects.earlier != 0
        likely = is_expected or objects.cache_avals is None
        if likely or objects.bodies != 1:
            failed = made.fun if jaxpr is None and made is not None else None
            yield from self._nested.traces(
                now, objects.frame, jits, failed, likely or jaxpr is None
            )
        call, signature = objects.call, trace.signature
        if jaxpr is not None and signature and made is not None and call is not None:
            guarded(None, self.programs.name_inputs, jaxpr, made, call)
            if call is made:
                guarded(None, self.programs.note_call, program, made, signature, objects.ended)
        effects = bool(getattr(jaxpr, "effects", None))
        made_now = replace(now, program=program, signature=signature, effects=effects)
        if jaxpr is not None and call is not None and now.error is None:
            guarded(None, self.frozen.note, made_now, call, jaxpr)
        yield replace(made_now, objects=objects)

    def _of_lowering(self, event: Trace) -> Iterator[Trace]:
        """The lowering or compilation, after traces that it reveals. Its program is found by its
        jaxpr or by the lowered module."""
        frame = event.objects.frame
        if is_jaxviz(frame):
            return
        lowering, module = seen.lowering_of(frame), seen.module_of(frame)
        jaxpr = None if lowering is None else lowering.jaxpr
        program = self.programs.of(jaxpr) or self.programs.of_module(module)
        if event.kind == "lower":
            yield from self._traced_before(event, jaxpr, program)
            program = self.programs.of(jaxpr) or program
        if program is None:  # no trace made the jaxpr, but grad, vmap or the like
            function, role = self._function(event, jaxpr), seen.role_of(frame)
            number = self.programs.remember(jaxpr, function, None, role)
            program = TracedProgram(number, function, None, role)
        self.programs.lowered(module, program)
        if is_jax(program.function):
            yield replace(event, op=Op(), objects=None)
        else:
            yield self._lowered(event, program, lowering)

    def _traced_before(
        self, event: Trace, jaxpr: Any, program: TracedProgram | None
    ) -> Iterator[Trace]:
        """Traces that a lowering reveals: one of jaxviz that the user's call reused, and those that
        JAX did not announce."""
        function = self.programs.named(jaxpr) if program is None else program.function
        if self._jaxviz_traces and function is not None and not is_jax(function):
            now = self._located(event, function, None)
            yield from self._jaxviz_traces.at_lowering(event.objects.frame, jaxpr, now)
        if program is not None or self.programs.of(jaxpr) is not None:
            return
        if event.objects.earlier == 0 and not self.cache.expected:
            return
        function = self._function(event, jaxpr)
        if not is_jax(function):
            now = self._located(event, function, None)
            for trace in self._nested.traces(now, event.objects.frame, []):
                yield replace(trace, objects=None)

    def _function(self, event: Trace, jaxpr: Any) -> Function:
        """The function that the jaxpr's debug info names; else one that has only a name, the `f` of
        JAX's label `jit(f)`."""
        label = event.objects.label.removeprefix("jit(").removesuffix(")")
        return self.programs.named(jaxpr) or Function(name(label), "", 0)

    def _lowered(
        self, event: Trace, program: TracedProgram, lowering: seen.Lowering | None
    ) -> Trace:
        """The lowering or compilation of the user's function. Placements and options are None
        without `lowering`."""
        frame = event.objects.frame
        jaxpr = None if lowering is None else lowering.jaxpr
        guarded(None, self.programs.name_inputs_of_call, jaxpr, frame, program.identity)
        names = self.programs.inputs_of(jaxpr)
        return replace(
            self._located(event, program.function, program.identity),
            program=program.program,
            role=program.role or ("" if program.identity is not None else seen.role_of(frame)),
            signature=None if jaxpr is None else guarded(None, signature_of_jaxpr, jaxpr, names),
            placements=lowering and guarded(None, placements_of, names, lowering.args),
            options=lowering and guarded(None, options_of, lowering.options),
        )


def _note_donor(ended: EndedTrace, function: Function, frame: FrameType | None) -> None:
    """Remembers the arrays that the call donates, for the card of an array that is used again."""
    site = site_of(frame) if any(ended.options.donated) else None
    if site is not None and ended.call is not None:
        values = [value for _, _, static, value in arguments_of(ended.call) if not static]
        note_donor(Donor(function.name, site), jax.tree.leaves(values), ended.options.donated)


def _signature(call: Call | None, jaxpr: Any) -> Signature | None:
    """The signature of the call; without a call that of the jaxpr."""
    if call is not None:
        return signature_of(call)
    return None if jaxpr is None else signature_of_jaxpr(jaxpr, seen.names_of(jaxpr))


def _failed(frame: FrameType | None) -> Frame | None:
    return failed_line(seen.failed_at(frame))
