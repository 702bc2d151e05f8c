"""Finds traces that JAX does not announce: from 0.10 on, those within another trace or under grad
and vmap. Each is described by what is left of it, a key of JAX's cache and a jaxpr.

JAX's cache has no order. The jaxprs of the function around stand in the order in which it called
them. A trace is as old as the first of these that it made, but it is not always known which: under
grad, vmap and the like JAX derives another jaxpr, which does not say what it was derived from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from itertools import accumulate, count
from math import inf
from types import FrameType
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._called import LoopBody
from jaxviz.capture._events import Call
from jaxviz.capture._traces import NESTED_ARE_SILENT, Body, alive
from jaxviz.capture.calls.libraries import users_call
from jaxviz.capture.events.announcements import Objects, attempt
from jaxviz.capture.events.describe import signature_of, signature_of_avals
from jaxviz.capture.events.functions import definition_of, function_named, is_jax, names_users
from jaxviz.capture.events.programs import Programs, UsersCall, noted_call
from jaxviz.capture.events.trace_cache import TraceCache
from jaxviz.capture.jaxprs.walk import census
from jaxviz.schema.signature import Function, Signature, Trace

Key = tuple[Function | None, tuple[Any, ...], int]
"""The function and the avals of a trace, and the `id` of its tuple of paths (0 without paths), so
that traces of one function with the same avals are distinguished."""


class UnannouncedTrace(NamedTuple):
    """A trace that JAX did not announce, found among the keys of its cache."""

    whose: UsersCall
    body: Body
    jaxpr: Any
    """The jaxpr that it made, or one that grad or the like made of that; None if not known."""


class Place(NamedTuple):
    """A jaxpr in the function around, in the order of its calls."""

    key: Key
    jaxpr: Any


def key_of(body: Body) -> Key:
    return function_named(body.source), body.avals, number_of(body.paths)


def number_of(paths: Any) -> int:
    """The `id` of a tuple of paths; 0 for None and for the empty tuple, which all traces share."""
    return id(paths) if paths else 0


class _Span(NamedTuple):
    """Among which places a trace was made."""

    likely: float
    first: float
    last: float


def in_order(
    found: Sequence[UnannouncedTrace], places: Sequence[Place]
) -> tuple[list[UnannouncedTrace], set[Function]]:
    """The traces in their order, and the functions that have several traces whose order is not
    known."""
    traces: defaultdict[Function | None, list[UnannouncedTrace]] = defaultdict(list)
    for one in found:
        traces[key_of(one.body)[0]].append(one)
    spans: dict[int, _Span] = {}
    unordered: set[Function] = set()
    for function, own in traces.items():
        held = [(at, place.key) for at, place in enumerate(places) if place.key[0] == function]
        types = {one.body.avals for one in own}
        spans |= {id(one): _span(one, held, types) for one in own}
        if _overlap(sorted(spans[id(one)][1:] for one in own)):
            unordered.update(one.whose.function for one in own)
    return sorted(found, key=lambda one: spans[id(one)]), unordered


def _span(
    trace: UnannouncedTrace, places: Sequence[tuple[int, Key]], known: Container[Any]
) -> _Span:
    """Where a trace may have been made, of the places of its function. `known` has the avals of all
    traces of it: what has others was made of one of these by vmap or the like."""
    _, avals, paths = key_of(trace.body)
    own = [at for at, key in places if paths and key[2] == paths]
    alike = [at for at, (_, types, of) in places if not of and types == avals]
    unlike = [at for at, (_, types, of) in places if not of and types not in known]
    likely = min(own or alike or unlike, default=inf)
    first = min(own + alike + unlike, default=0)
    return _Span(likely, first, min(own) if own else max(alike, default=inf))


def _overlap(spans: list[tuple[float, float]]) -> bool:
    """Whether any of these spans, which are sorted, begins before one that came earlier ends."""
    ends = accumulate((last for _, last in spans), max)
    return any(end >= first for end, (first, _) in zip(ends, spans[1:], strict=False))


class Nested:
    """Finds unannounced traces among the keys of JAX's cache and in the jaxpr around."""

    def __init__(self, programs: Programs, cache: TraceCache) -> None:
        self._programs = programs
        self._cache = cache
        self._looks = count()

    def traces(
        self,
        now: Trace,
        frame: FrameType | None,
        jits: list[Any],
        failed: Any = None,
        likely: bool = True,
    ) -> Iterator[Trace]:
        """The unannounced traces since the last look at the cache.

        `now` is what JAX announced from `frame`. `jits` are the jaxprs within its own, among which
        those of the traces are sought; the traces come in their order. `failed` is the function
        whose trace failed, if the event is that. `likely` says whether traces are expected: if not,
        only a small cache is searched.
        """
        places = self._unmet(jits)
        jaxprs: dict[Key, Any] = {}
        for key, jaxpr in places:
            jaxprs.setdefault(key, jaxpr)
        call = None if now.kind == "trace" else seen.call_of(frame)
        likely |= any(names_users(seen.source_of(jaxpr)) for jaxpr in jits)
        found, unordered = in_order(self._found(jaxprs, failed, likely), places)
        look = next(self._looks)
        for whose, body, jaxpr in found:
            self._programs.meet(whose.function, body.source, whose.call)
            if seen.is_derived(jaxpr):
                jaxpr = None
            traced = self._traced(now, whose, body, jaxpr, call)
            yield replace(traced, unordered=look) if whose.function in unordered else traced
        unmet = [jaxpr for jaxpr in jaxprs.values() if self._programs.of(jaxpr) is None]
        if unmet and now.kind == "trace" and NESTED_ARE_SILENT and likely:
            yield from self._gone(now, unmet)
        for jaxpr in unmet:
            function = self._programs.named(jaxpr)
            if function is not None and self._programs.of(jaxpr) is None:
                self._programs.remember(jaxpr, function, None)

    def _gone(self, now: Trace, unmet: list[Any]) -> Iterator[Trace]:
        """Traces of functions that were defined within a traced function. They are gone when its
        trace ends, and their keys with them; only their jaxprs, `unmet`, tell of them. Whether two
        are of one function object is not known, so no new one is told of."""
        known = alive()
        identities: defaultdict[str, int] = defaultdict(self._programs.identities.new)
        own = [jaxpr for jaxpr in unmet if not seen.is_derived(jaxpr)]
        made_of = [jaxpr for jaxpr in unmet if seen.is_derived(jaxpr)]
        for jaxpr in (*own, *made_of):
            source = seen.source_of(jaxpr)
            function = function_named(source)
            derived = seen.is_derived(jaxpr)
            if function is None or is_jax(function) or source in known:
                continue
            if derived and source in identities:
                continue
            identity = identities[source]
            avals = tuple(var.aval for var in jaxpr.invars)
            yield replace(
                now,
                function=function,
                definition=definition_of(function),
                identity=identity,
                signature=signature_of_avals(seen.names_of(jaxpr), avals),
                program=self._programs.remember(jaxpr, function, identity),
                seconds=0.0,
                depth=now.depth + 1,
                eqns=None if derived else census(jaxpr).eqns,
                error=None,
                failed=None,
                implied=True,
                objects=Objects(jaxpr=jaxpr, avals=avals),
            )

    def by_loop(self, now: Trace, objects: Objects, bodies: list[LoopBody]) -> Iterator[Trace]:
        """The traces of the functions that a loop or a branch (`lax.scan`, `lax.cond`) was called
        with outside jit. `objects` are those of the whole loop: its jaxpr, its lowering and its
        compilation count for the last of the functions."""
        for name, fun, body, names in bodies:
            whose = self._programs.whose(Call(fun, None, (), {}), objects.frame)
            if whose is None or is_jax(whose.function) or self._programs.of(body) is not None:
                continue
            function = whose.function._replace(name=f"{whose.function.name} ({name})")
            program = self._programs.remember(objects.jaxpr, function, whose.identity)
            self._programs.remember(body, function, whose.identity)
            avals = tuple(var.aval for var in body.invars)
            yield replace(
                now,
                function=function,
                definition=definition_of(function),
                identity=whose.identity,
                signature=signature_of_avals(names, avals),
                program=program,
                eqns=census(body).eqns,
                implied=True,
                objects=Objects(jaxpr=body, avals=avals),
            )

    def _found(self, jaxprs: dict[Key, Any], failed: Any, likely: bool) -> list[UnannouncedTrace]:
        """The unannounced traces of the user's functions with their jaxprs."""
        alike = {key[:2] for key in jaxprs}

        def is_mine(body: Body) -> bool:
            return body.fun is failed or self._users(body) is None or key_of(body)[:2] in alike

        new = [
            (whose, body)
            for body in self._cache.look(is_mine, likely)
            if body.fun is not failed and (whose := self._users(body)) is not None
        ]
        known = {key_of(body) for _, body in new} & jaxprs.keys()
        others = {key[:2]: jaxpr for key, jaxpr in reversed(jaxprs.items()) if key not in known}
        return [
            UnannouncedTrace(whose, body, jaxprs.get(key_of(body), others.get(key_of(body)[:2])))
            for whose, body in new
        ]

    def _users(self, body: Body) -> UsersCall | None:
        """The user's function that the body is of; None if it is JAX's own. What called it is no
        longer on the stack."""
        if body.fun is None:
            return None
        named = function_named(body.source)
        if named is not None and is_jax(named):
            return None
        made = body.call() or Call(body.fun, None, (), {})
        whose = self._programs.whose(made, None)
        return None if whose is None or is_jax(whose.function) else whose

    def _traced(
        self, now: Trace, whose: UsersCall, body: Body, jaxpr: Any, call: Call | None
    ) -> Trace:
        function, identity, own = whose
        signature, program = _signature(body, own, call), None
        if jaxpr is not None:
            program = self._programs.remember(jaxpr, function, identity)
            if signature and own.fun is body.fun:
                noted = attempt(lambda: noted_call(own, signature, None))
                self._programs.live.note(program, noted)
        return replace(
            now,
            kind="trace",
            function=function,
            definition=definition_of(function),
            identity=identity,
            signature=signature,
            program=program,
            seconds=0.0,
            depth=now.depth + 1,
            eqns=None if jaxpr is None else census(jaxpr).eqns,
            cached=None,
            saved=None,
            error=None,
            failed=None,
            implied=True,
            objects=Objects(jaxpr=jaxpr, avals=body.avals),
        )

    def _unmet(self, jits: list[Any]) -> list[Place]:
        """Those of the jaxprs that belong to no known program."""
        found: list[Place] = []
        for jaxpr in jits:
            function = function_named(seen.source_of(jaxpr))
            if function is not None and self._programs.of(jaxpr) is None:
                avals = tuple(var.aval for var in jaxpr.invars)
                key = (function, avals, number_of(seen.paths_in(jaxpr)))
                found.append(Place(key, jaxpr))
        return found


def _signature(body: Body, own: Call, call: Call | None) -> Signature | None:
    try:
        if call is not None and call.fun is body.fun:
            return signature_of(users_call(call))
        if own.options is not None:
            return signature_of(own)
        return signature_of_avals(body.names, body.avals)
    except Exception:
        return None
