"""Finds traces that JAX does not announce: from 0.10 on, those within another trace or under grad
and vmap. Such a trace leaves a key in JAX's cache, and a jaxpr.

JAX's cache has no order, but the jaxprs in the enclosing function have the order of its calls. So a
trace gets the place of the first jaxpr that it made. This place is not always known: under grad,
vmap and the like JAX derives another jaxpr, which does not name the one it was derived from.
"""

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
from jaxviz.capture._traces import NESTED_UNANNOUNCED, Body, cached_avals
from jaxviz.capture.calls.libraries import users_call
from jaxviz.capture.events.describe import signature_of, signature_of_avals
from jaxviz.capture.events.functions import definition_of, function_named, is_jax, names_users
from jaxviz.capture.events.programs import Objects, Programs, UsersCall
from jaxviz.capture.events.trace_cache import TraceCache
from jaxviz.capture.jaxprs.walk import census
from jaxviz.safety.guard import guarded
from jaxviz.schema.signature import Function, Signature, Trace

Key = tuple[Function | None, tuple[Any, ...], int]
"""The function and the avals of a trace, and the `id` of its tuple of paths (0 without paths). The
paths distinguish traces of one function with equal avals."""


class UnannouncedTrace(NamedTuple):
    """A trace that JAX did not announce, found by its key in JAX's cache."""

    users: UsersCall
    body: Body
    jaxpr: Any
    """Its jaxpr, or one that grad or the like derived from that; None if not known."""


class Place(NamedTuple):
    """A jaxpr in the enclosing function, at its place in the order of calls."""

    key: Key
    jaxpr: Any


def key_of(body: Body) -> Key:
    return function_named(body.source), body.avals, number_of(body.paths)


def number_of(paths: Any) -> int:
    """The `id` of a tuple of paths; 0 for None and for the empty tuple, a single object."""
    return id(paths) if paths else 0


class _Span(NamedTuple):
    """The places at which a trace may have been made."""

    likely: float
    first: float
    last: float


def in_order(
    found: Sequence[UnannouncedTrace], places: Sequence[Place]
) -> tuple[list[UnannouncedTrace], set[Function]]:
    """The traces in the order in which they were made, and the functions for whose traces that
    order is not certain."""
    traces: defaultdict[Function | None, list[UnannouncedTrace]] = defaultdict(list)
    for one in found:
        traces[key_of(one.body)[0]].append(one)
    spans: dict[int, _Span] = {}
    unordered: set[Function] = set()
    for function, own in traces.items():
        of_function = [(at, one.key) for at, one in enumerate(places) if one.key[0] == function]
        types = {one.body.avals for one in own}
        spans |= {id(one): _span(one, of_function, types) for one in own}
        if _overlap(sorted(spans[id(one)][1:] for one in own)):
            unordered.update(one.users.function for one in own)
    return sorted(found, key=lambda one: spans[id(one)]), unordered


def _span(
    trace: UnannouncedTrace, places: Sequence[tuple[int, Key]], traced: Container[Any]
) -> _Span:
    """The places of its function at which a trace may have been made. `traced` has the avals of all
    traces of the function. A jaxpr with other avals was derived from one of these traces."""
    _, avals, paths = key_of(trace.body)
    own = [at for at, key in places if paths and key[2] == paths]
    alike = [at for at, (_, types, of) in places if not of and types == avals]
    unlike = [at for at, (_, types, of) in places if not of and types not in traced]
    likely = min(own or alike or unlike, default=inf)
    first = min(own + alike + unlike, default=0)
    return _Span(likely, first, min(own) if own else max(alike, default=inf))


def _overlap(spans: list[tuple[float, float]]) -> bool:
    """True if any of these sorted spans begins before the end of an earlier one."""
    ends = accumulate((last for _, last in spans), max)
    return any(end >= first for end, (first, _) in zip(ends, spans[1:], strict=False))


class Nested:
    """Finds unannounced traces in JAX's cache and in the enclosing jaxpr."""

    def __init__(self, programs: Programs, cache: TraceCache) -> None:
        self._programs = programs
        self._cache = cache
        self._searches = count()

    def traces(
        self,
        now: Trace,
        frame: FrameType | None,
        jits: list[Any],
        failed: Any = None,
        likely: bool = True,
    ) -> Iterator[Trace]:
        """The unannounced traces since the last search of the cache, in the order of `jits`.

        `now` is JAX's event, and `frame` the frame that called the listener. `jits` are the jaxprs
        within the event's own jaxpr; some of them belong to the traces. `failed` is the function
        whose trace failed, if the event is such a trace. If traces are not `likely`, only a small
        cache is searched.
        """
        places = self._new_places(jits)
        jaxprs: dict[Key, Any] = {}
        for key, jaxpr in places:
            jaxprs.setdefault(key, jaxpr)
        call = None if now.kind == "trace" else seen.call_of(frame)
        likely |= any(names_users(seen.source_of(jaxpr)) for jaxpr in jits)
        found, unordered = in_order(self._found(jaxprs, failed, likely), places)
        search = next(self._searches)
        for users, body, jaxpr in found:
            self._programs.remember_function(users.function, body.source, users.call)
            if seen.is_derived(jaxpr):
                jaxpr = None
            traced = self._traced(now, users, body, jaxpr, call)
            yield replace(traced, unordered=search) if users.function in unordered else traced
        new = [jaxpr for jaxpr in jaxprs.values() if self._programs.of(jaxpr) is None]
        if new and now.kind == "trace" and NESTED_UNANNOUNCED and likely:
            yield from self._of_local_functions(now, new)
        for jaxpr in new:
            function = self._programs.named(jaxpr)
            if function is not None and self._programs.of(jaxpr) is None:
                self._programs.remember(jaxpr, function, None)

    def _of_local_functions(self, now: Trace, new: list[Any]) -> Iterator[Trace]:
        """Traces of functions that were defined within a traced function. When its trace ends, they
        and their keys are gone, and only their jaxprs, `new`, remain. Traces with equal debug info
        get one identity, since their function objects cannot be compared."""
        living = cached_avals()
        identities: defaultdict[str, int] = defaultdict(self._programs.identities.new)
        for jaxpr in sorted(new, key=seen.is_derived):
            source = seen.source_of(jaxpr)
            function = function_named(source)
            derived = seen.is_derived(jaxpr)
            if function is None or is_jax(function) or source in living:
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
        """The traces of the functions that were passed to a loop or branch (`lax.scan`, `lax.cond`)
        outside jit. `objects` belong to the whole loop. Its jaxpr, lowering and compilation are
        assigned to the last function."""
        for name, fun, body, names in bodies:
            users = self._programs.resolve(Call(fun, None, (), {}), objects.frame)
            if users is None or is_jax(users.function) or self._programs.of(body) is not None:
                continue
            function = users.function._replace(name=f"{users.function.name} ({name})")
            program = self._programs.remember(objects.jaxpr, function, users.identity)
            self._programs.remember(body, function, users.identity)
            avals = tuple(var.aval for var in body.invars)
            yield replace(
                now,
                function=function,
                definition=definition_of(function),
                identity=users.identity,
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
            return body.fun is failed or self._resolve(body) is None or key_of(body)[:2] in alike

        new = [
            (users, body)
            for body in self._cache.new_traces(is_mine, likely)
            if body.fun is not failed and (users := self._resolve(body)) is not None
        ]
        exact = {key_of(body) for _, body in new} & jaxprs.keys()
        others = {key[:2]: jaxpr for key, jaxpr in reversed(jaxprs.items()) if key not in exact}
        return [
            UnannouncedTrace(users, body, jaxprs.get(key_of(body), others.get(key_of(body)[:2])))
            for users, body in new
        ]

    def _resolve(self, body: Body) -> UsersCall | None:
        """The user's function that was traced; None for JAX's own. Its caller is no longer on the
        stack."""
        if body.fun is None:
            return None
        named = function_named(body.source)
        if named is not None and is_jax(named):
            return None
        made = body.call() or Call(body.fun, None, (), {})
        users = self._programs.resolve(made, None)
        return None if users is None or is_jax(users.function) else users

    def _traced(
        self, now: Trace, users: UsersCall, body: Body, jaxpr: Any, call: Call | None
    ) -> Trace:
        function, identity, own = users
        signature, program = _signature(body, own, call), None
        if jaxpr is not None:
            program = self._programs.remember(jaxpr, function, identity)
            if signature and own.fun is body.fun:
                guarded(None, self._programs.note_call, program, own, signature, None)
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

    def _new_places(self, jits: list[Any]) -> list[Place]:
        """The jaxprs that belong to no program yet."""
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
