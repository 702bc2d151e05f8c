"""Whose each jaxpr and module is, by weak references alone."""

from __future__ import annotations

from itertools import count
from typing import Any, NamedTuple

from jaxviz.capture import _events as seen
from jaxviz.capture.events.functions import (
    Identities,
    Weak,
    function_named,
    is_jax,
    traced_function,
)
from jaxviz.capture.events.live import Live
from jaxviz.signature import Function


class Known(NamedTuple):
    """Whose a jaxpr or module is."""

    program: int
    function: Function
    identity: int | None
    role: str


class Programs:
    """Numbers the programs that were traced, lowered and compiled."""

    def __init__(self) -> None:
        self.identities = Identities()
        self.live = Live()
        self._jaxprs: Weak[Known] = Weak()
        self._modules: Weak[Known] = Weak()
        self._functions: Weak[Function] = Weak()
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

    def function(self, fun: Any) -> Function | None:
        """The function that is traced."""
        known = self._functions.get(fun)
        if known is None and (known := traced_function(fun)) is not None:
            self._functions.set(fun, known)
        return known

    def meet(self, function: Function) -> None:
        """A function of which JAX's debug info may tell later, without its digest."""
        if function.code:
            self._called[function._replace(code="")] = function

    def named(self, jaxpr: Any) -> Function | None:
        """The function that the jaxpr's debug info names, as it was called."""
        found = function_named(seen.source_of(jaxpr))
        return None if found is None else self._called.get(found, found)
