"""Remembers which function each jaxpr and module belongs to, with weak references alone."""

from __future__ import annotations

from itertools import count
from types import FrameType
from typing import Any, NamedTuple

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.functions import (
    called_by_user,
    function_named,
    is_jax,
    traced_function,
)
from jaxviz.capture.events.identities import Identities, Weak
from jaxviz.capture.events.layers import holds_jit, innermost
from jaxviz.capture.events.live import Live
from jaxviz.capture.events.paths import paths_of
from jaxviz.capture.wrappers import users_call
from jaxviz.signature import Function


class Known(NamedTuple):
    """Whose a jaxpr or module is."""

    program: int
    function: Function
    identity: int | None
    role: str


class Whose(NamedTuple):
    """A function of the user's, and how it was called."""

    function: Function
    identity: int | None
    call: Call


FUNCTIONS = 10_000
"""How many functions are remembered by what JAX's debug info says of them: the latest."""


class Programs:
    """Numbers the programs that were traced, lowered and compiled."""

    def __init__(self) -> None:
        self.identities = Identities()
        self.live = Live()
        self._jaxprs: Weak[Known] = Weak()
        self._modules: Weak[Known] = Weak()
        self._functions: Weak[Function] = Weak()
        self._lacking = bool(seen.missing())
        """Then some functions are known by JAX's debug info alone, which has no digest."""
        self._paths: Weak[dict[str, str]] = Weak()
        self._numbers = count()
        self._called: dict[Function, Function] = {}
        """Functions as they were called, by what JAX's debug info tells of them."""

    def of(self, jaxpr: Any) -> Known | None:
        """What is known of a jaxpr."""
        return None if jaxpr is None else self._jaxprs.get(jaxpr)

    def of_module(self, module: Any) -> Known | None:
        """What is known of a module that was lowered."""
        return None if module is None else self._modules.get(module)

    def lowered(self, module: Any, known: Known) -> None:
        """Remembers whose the module is."""
        if module is not None:
            self._modules.set(module, known)

    def remember(self, jaxpr: Any, function: Function, identity: int | None, role: str = "") -> int:
        """The number of a new program."""
        program = next(self._numbers)
        if jaxpr is not None:
            self._jaxprs.set(jaxpr, Known(program, function, identity, role))
            if not is_jax(function):
                self.live.add(program, jaxpr)
        return program

    def whose(self, made: Call, frame: FrameType | None) -> Whose | None:
        """The user's function and call behind what JAX was called for; None of what is not
        written in Python."""
        call = users_call(made)
        function = self._functions.get(call.fun)
        if function is None:
            function = traced_function(call.fun)
            if function is None:
                return None
            function = called_by_user(function, frame)
            if self._lacking:
                function = function._replace(code="")
            self._functions.set(call.fun, function)
        fun = call.fun if call is made else innermost(call.fun)
        return Whose(function, self.identities.of(fun), call)

    def meet(self, function: Function, source: Any, call: Call | None) -> None:
        """A function of which JAX's debug info may tell later: by `source`, and no digest. Where
        what was called lies around a jitted function, as `vmap(jit(f))`, it tells of that one."""
        named = function_named(source) or function
        if not is_jax(function) and (call is None or not holds_jit(call.fun)):
            self._called[named._replace(code="")] = function
            if len(self._called) > FUNCTIONS:
                del self._called[next(iter(self._called))]

    def name_inputs(self, jaxpr: Any, paths: dict[str, str]) -> None:
        """The user's paths of the jaxpr's inputs, by those that JAX has of a library's wrapper."""
        if jaxpr is not None and paths:
            self._paths.set(jaxpr, paths)

    def name_inputs_of_call(self, jaxpr: Any, frame: FrameType, identity: int | None) -> None:
        """The same by the call that lowers it, where jaxviz traced it and saw no wrapper."""
        made = seen.call_of(frame, tracing=False)
        if made is None or jaxpr is None or self._paths.get(jaxpr):
            return
        whose = self.whose(made, frame)
        if whose is not None and whose.identity == identity:
            self.name_inputs(jaxpr, paths_of(made, whose.call))

    def inputs_of(self, jaxpr: Any) -> list[str]:
        """The paths of the jaxpr's inputs, the user's own where they are known."""
        paths = (None if jaxpr is None else self._paths.get(jaxpr)) or {}
        found = seen.names_of(jaxpr) or seen.numbers_of(jaxpr)
        return [paths.get(path, path) for path in found]

    def named(self, jaxpr: Any) -> Function | None:
        """The function that the jaxpr's debug info names, as it was called."""
        found = function_named(seen.source_of(jaxpr))
        return None if found is None else self._called.get(found, found)
