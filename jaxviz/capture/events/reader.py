"""Reads off the stack what was traced, lowered or compiled, for whom, and with which arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from threading import RLock
from types import FrameType
from typing import Any, NamedTuple, TypeVar

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Body
from jaxviz.capture.events.clears import Clears
from jaxviz.capture.events.describe import (
    options_of,
    placements_of,
    signature_of,
    signature_of_avals,
    signature_of_jaxpr,
)
from jaxviz.capture.events.functions import (
    Identities,
    Weak,
    definition_of,
    failed_line,
    function_named,
    is_jax,
    is_ours,
    names_users,
    site_of,
    traced_function,
    users_function,
)
from jaxviz.capture.events.inner import census
from jaxviz.capture.events.live import Live
from jaxviz.capture.events.silent import Silent
from jaxviz.capture.events.spans import Apart, Span
from jaxviz.capture.strings import name
from jaxviz.signature import Fact, Function

Result = TypeVar("Result")


class Known(NamedTuple):
    """Whose a jaxpr or module is."""

    program: int
    function: Function
    identity: int | None
    role: str


class Reader:
    """Remembers jaxprs and modules by weak references alone."""

    def __init__(self) -> None:
        self._identities = Identities()
        self._jaxprs: Weak[Known] = Weak()
        self._modules: Weak[Known] = Weak()
        self._functions: Weak[Function] = Weak()
        self._programs = count()
        self._called: dict[Function, Function] = {}
        """Functions as they were called, by what JAX's debug info tells of them."""
        self.clears = Clears()
        self.live = Live()
        self.silent = Silent(self._identities)
        self._lock = RLock()

    def read(self, span: Span, frame: FrameType) -> Iterator[Fact | Apart]:
        """What happened, in its order: nothing, where a trace was found in a cache."""
        if span.kind == "trace":
            return self._trace(span, frame)
        return self._later(span, frame)

    def _trace(self, span: Span, frame: FrameType) -> Iterator[Fact | Apart]:
        call = seen.call_of(frame, tracing=True)
        function = None if call is None else self._function(call.fun)
        jaxpr = seen.traced_jaxpr(frame)
        if function is None:
            function = Function(name(span.name), "", 0)
        self._meet(function)
        identity = None if call is None else self._identities.of(call.fun)
        program = self._claim(span, jaxpr, function, identity)
        apart = is_jax(function)
        if jaxpr is not None and program is not None and not apart:
            self.silent.announce(identity, tuple(var.aval for var in jaxpr.invars))
        self.silent.open(span.traces)
        if program is None or apart:
            if self.silent.held:
                yield from self._silent(self._fact(span, frame, function, identity), frame, [])
            if program is not None:
                yield Apart(span.kind, span.start, span.seconds)
            return
        eqns, jits = (None, list[Any]()) if jaxpr is None else census(jaxpr)
        fact = self._fact(span, frame, function, identity, eqns)
        likely = self.silent.held or span.earlier != 0 or jaxpr is None
        if likely or span.bodies != 1:
            failed = call.fun if jaxpr is None and call is not None else None
            yield from self._silent(fact, frame, jits, failed, likely)
        signature = None if call is None else _attempt(lambda: signature_of(call))
        yield replace(fact, program=program, signature=signature)

    def _claim(
        self, span: Span, jaxpr: Any, function: Function, identity: int | None
    ) -> int | None:
        """The number of a new program; None where a cache had it. Of threads that wait for one
        trace the first has it."""
        with self._lock:
            reused = self._is_reused(span, jaxpr)
            if reused and self._jaxprs.get(jaxpr) is not None:
                return None
            program = self._remember(jaxpr, function, None if is_jax(function) else identity)
        return None if reused else program

    def _is_reused(self, span: Span, jaxpr: Any) -> bool:
        """From 0.9 on JAX announces a trace also where its cache has the jaxpr."""
        return jaxpr is not None and (span.bodies == 0 or self._jaxprs.get(jaxpr) is not None)

    def _silent(
        self,
        fact: Fact,
        frame: FrameType,
        jits: list[Any],
        failed: Any = None,
        likely: bool = True,
    ) -> Iterator[Fact]:
        """Traces that were not announced, since the last look, in the order of `jits`, the jaxprs
        in which theirs may be found. `failed` is a function whose trace was announced and came to
        none."""
        jaxprs = self._unmet(jits)
        call = None if fact.kind == "trace" else seen.call_of(frame, tracing=False)

        def is_mine(body: Body) -> bool:
            function = users_function(body.fun)
            if function is None or body.fun is failed:
                return True
            return _key(function, body) in jaxprs

        likely |= any(names_users(seen.source_of(jaxpr)) for jaxpr in jits)
        found = [
            (function, body)
            for body in self.silent.look(is_mine, likely)
            if body.fun is not failed and (function := users_function(body.fun)) is not None
        ]
        order = {key: number for number, key in enumerate(jaxprs)}
        found.sort(key=lambda one: order.get(_key(*one), len(order)))
        for function, body in found:
            fun, names, avals = body
            identity = self._identities.of(fun)
            self._meet(function)
            jaxpr = jaxprs.get(_key(function, body))
            yield replace(
                fact,
                kind="trace",
                function=function,
                definition=definition_of(function),
                identity=identity,
                signature=_attempt(
                    lambda f=fun, n=names, a=avals: (
                        signature_of(call)
                        if call is not None and call.fun is f
                        else signature_of_avals(n, a)
                    )
                ),
                program=None if jaxpr is None else self._remember(jaxpr, function, identity),
                seconds=0.0,
                depth=fact.depth + 1,
                eqns=None if jaxpr is None else len(jaxpr.eqns),
                cached=None,
                error=None,
                failed=None,
                implied=True,
            )
        for (function, _), jaxpr in jaxprs.items():
            if self._jaxprs.get(jaxpr) is None:
                self._remember(jaxpr, self._called.get(function, function), None)

    def _unmet(self, jits: list[Any]) -> dict[tuple[Function, tuple[Any, ...]], Any]:
        """Jaxprs that were not met before, by their function and avals."""
        found: dict[tuple[Function, tuple[Any, ...]], Any] = {}
        for jaxpr in jits:
            function = function_named(seen.source_of(jaxpr))
            if function is not None and self._jaxprs.get(jaxpr) is None:
                found.setdefault((function, tuple(var.aval for var in jaxpr.invars)), jaxpr)
        return found

    def _meet(self, function: Function) -> None:
        if function.code:
            self._called[function._replace(code="")] = function

    def _later(self, span: Span, frame: FrameType) -> Iterator[Fact | Apart]:
        """A lowering or compilation: known by its jaxpr, or by the module that was lowered."""
        lowering, module = seen.lowering_of(frame), seen.module_of(frame)
        jaxpr = None if lowering is None else lowering.jaxpr
        known = self._jaxprs.get(jaxpr) or self._modules.get(module)
        if known is None:
            function = self._named(jaxpr) or Function(_bare(span.name), "", 0)
            look = span.kind == "lower" and span.earlier != 0
            if look and not is_jax(function) and not is_ours(frame):
                yield from self._silent(self._fact(span, frame, function, None), frame, [])
            known = self._derived(span, frame, jaxpr)
        if module is not None:
            self._modules.set(module, known)
        if is_jax(known.function):
            yield Apart(span.kind, span.start, span.seconds)
            return
        if is_ours(frame):
            return
        fact = self._fact(span, frame, known.function, known.identity)
        names = seen.names_of(jaxpr) or seen.numbers_of(jaxpr)
        yield replace(
            fact,
            program=known.program,
            role=known.role,
            signature=None if jaxpr is None else _attempt(lambda: signature_of_jaxpr(jaxpr, names)),
            placements=lowering and _attempt(lambda: placements_of(names, lowering.args)),
            options=lowering and _attempt(lambda: options_of(lowering.options)),
        )

    def _derived(self, span: Span, frame: FrameType, jaxpr: Any) -> Known:
        """Whose a jaxpr is that grad, vmap or the like made."""
        function = self._named(jaxpr) or Function(_bare(span.name), "", 0)
        role = seen.role_of(frame)
        return Known(self._remember(jaxpr, function, None, role), function, None, role)

    def _named(self, jaxpr: Any) -> Function | None:
        found = function_named(seen.source_of(jaxpr))
        return None if found is None else self._called.get(found, found)

    def _remember(
        self, jaxpr: Any, function: Function, identity: int | None, role: str = ""
    ) -> int:
        program = next(self._programs)
        if jaxpr is not None:
            self._jaxprs.set(jaxpr, Known(program, function, identity, role))
            if not is_jax(function):
                self.live.add(program, jaxpr)
        return program

    def _function(self, fun: Any) -> Function | None:
        known = self._functions.get(fun)
        if known is None and (known := traced_function(fun)) is not None:
            self._functions.set(fun, known)
        return known

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
            failed=error and _attempt(lambda: failed_line(seen.failed_at(frame))),
            implied=False,
        )


def _key(function: Function, body: Body) -> tuple[Function, tuple[Any, ...]]:
    """By what a body is found among jaxprs, which tell the name and the place alone."""
    return function._replace(code=""), body.avals


def _attempt(read: Callable[[], Result]) -> Result | None:
    """What cannot be read is not known; the event stands without it."""
    try:
        return read()
    except Exception:
        return None


def _bare(label: str) -> str:
    """`f` of `jit(f)`."""
    return name(label.removeprefix("jit(").removesuffix(")"))
