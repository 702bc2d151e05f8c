"""Traces that JAX does not announce, with what can be known of them afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any, NamedTuple

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Body, Call
from jaxviz.capture.events.describe import signature_of, signature_of_avals
from jaxviz.capture.events.functions import (
    definition_of,
    function_named,
    names_users,
    users_function,
)
from jaxviz.capture.events.programs import Programs
from jaxviz.capture.events.silent import Silent
from jaxviz.signature import Fact, Function, Signature


class Traced(NamedTuple):
    """A trace, with what it made: only as long as it is told."""

    fact: Fact
    jaxpr: Any
    avals: tuple[Any, ...]


Key = tuple[Function, tuple[Any, ...]]


class Nested:
    """Finds traces among the keys of JAX's cache, and in the jaxpr of the function that called."""

    def __init__(self, programs: Programs, silent: Silent) -> None:
        self._programs = programs
        self._silent = silent

    def traces(
        self,
        fact: Fact,
        frame: FrameType,
        jits: list[Any],
        failed: Any = None,
        likely: bool = True,
    ) -> Iterator[Traced]:
        """Those since the last look, in the order of `jits`, the jaxprs in which theirs may be
        found. `failed` is a function whose trace was announced and came to none."""
        jaxprs = self._unmet(jits)
        call = None if fact.kind == "trace" else seen.call_of(frame, tracing=False)
        likely |= any(names_users(seen.source_of(jaxpr)) for jaxpr in jits)
        for function, body in self._found(jaxprs, failed, likely):
            self._programs.meet(function)
            jaxpr = jaxprs.get(_key(function, body))
            if seen.is_derived(jaxpr):
                jaxpr = None
            yield self._traced(fact, function, body, jaxpr, call)
        for (function, _), jaxpr in jaxprs.items():
            if self._programs.of(jaxpr) is None:
                self._programs.remember(jaxpr, self._programs.named(jaxpr) or function, None)

    def _found(
        self, jaxprs: dict[Key, Any], failed: Any, likely: bool
    ) -> list[tuple[Function, Body]]:
        def is_mine(body: Body) -> bool:
            function = users_function(body.fun)
            if function is None or body.fun is failed:
                return True
            return _key(function, body) in jaxprs

        found = [
            (function, body)
            for body in self._silent.look(is_mine, likely)
            if body.fun is not failed and (function := users_function(body.fun)) is not None
        ]
        order = {key: number for number, key in enumerate(jaxprs)}
        return sorted(found, key=lambda one: order.get(_key(*one), len(order)))

    def _traced(
        self, fact: Fact, function: Function, body: Body, jaxpr: Any, call: Call | None
    ) -> Traced:
        identity = self._programs.identities.of(body.fun)
        program = None
        if jaxpr is not None:
            program = self._programs.remember(jaxpr, function, identity)
        told = replace(
            fact,
            kind="trace",
            function=function,
            definition=definition_of(function),
            identity=identity,
            signature=_signature(body, call),
            program=program,
            seconds=0.0,
            depth=fact.depth + 1,
            eqns=None if jaxpr is None else len(jaxpr.eqns),
            cached=None,
            error=None,
            failed=None,
            implied=True,
        )
        return Traced(told, jaxpr, body.avals)

    def _unmet(self, jits: list[Any]) -> dict[Key, Any]:
        """Jaxprs that were not met before, by their function and avals."""
        found: dict[Key, Any] = {}
        for jaxpr in jits:
            function = function_named(seen.source_of(jaxpr))
            if function is not None and self._programs.of(jaxpr) is None:
                found.setdefault((function, tuple(var.aval for var in jaxpr.invars)), jaxpr)
        return found


def _key(function: Function, body: Body) -> Key:
    """By what a body is found among jaxprs, which tell the name and the place alone."""
    return function._replace(code=""), body.avals


def _signature(body: Body, call: Call | None) -> Signature | None:
    try:
        if call is not None and call.fun is body.fun:
            return signature_of(call)
        if body.call is not None:
            return signature_of(body.call)
        return signature_of_avals(body.names, body.avals)
    except Exception:
        return None
