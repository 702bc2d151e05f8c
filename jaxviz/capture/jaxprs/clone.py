"""Makes a copy of a jaxpr in which every eqn carries its number, so that the ops that JAX and XLA
make of an eqn can be traced back to it.

JAX writes the name stack of an eqn into every op that it lowers it to, and XLA keeps it. In the
copy each name stack has one more scope, `<token><number>`; nothing else of the program changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxviz.capture.jaxprs.walk import Walk, is_function, walk

_DEPTH_LIMIT = 16
_PARTS = (tuple, list, dict, Jaxpr, ClosedJaxpr)


class Clone(NamedTuple):
    """The program with its eqns numbered from 0, through all graphs of its stage in their order."""

    closed: ClosedJaxpr
    token: str
    """What is written before each number; no name in the program has it."""


Exchange = Callable[[Any], Any]
"""A function that returns what to put in place of an array that the program closes over, or of a
function in its params."""


def cloned(
    closed: ClosedJaxpr, exchange: Exchange = lambda const: const, left_out: Container[str] = ()
) -> Clone:
    """The numbered copy. It shares the jaxprs that the program shares, which JAX lowers once.
    Bodies in dataclasses (Pallas) are not numbered. Eqns of the primitives `left_out`, which have
    no results, are counted, and are not in it. Takes time linear in the number of distinct
    eqns, and does not recurse over how deep bodies nest."""
    found = walk(closed.jaxpr)
    token = free_token("\n".join(set(_names(found))))
    return Clone(_rewritten(closed, found, _Rewriter(token, exchange, left_out)), token)


def exchanged(closed: ClosedJaxpr, found: Walk, exchange: Exchange) -> ClosedJaxpr:
    """The program with what `exchange` returns in place of each array that it closes over. `found`
    is the program's `walk`."""
    return _rewritten(closed, found, _Rewriter(None, exchange))


def _rewritten(closed: ClosedJaxpr, found: Walk, rewriter: _Rewriter) -> ClosedJaxpr:
    first = list(accumulate((len(jaxpr.eqns) for jaxpr in found.jaxprs), initial=0))
    for graph in _inside_out(found):
        rewriter.add(found.jaxprs[graph], first[graph])
    return rewriter.closed(closed)


class _Rewriter:
    """Rewrites jaxprs, and remembers by identity what each became."""

    def __init__(
        self, token: str | None, exchange: Exchange, left_out: Container[str] = ()
    ) -> None:
        self._token = token
        self._exchange = exchange
        self._left_out = left_out
        self._jaxprs: dict[int, Jaxpr] = {}
        self._closed: dict[int, ClosedJaxpr] = {}
        self._consts: dict[int, Any] = {}

    def add(self, jaxpr: Jaxpr, first: int) -> None:
        """Rewrites a jaxpr whose bodies are rewritten already, numbering its eqns from `first`."""
        eqns = [
            self._eqn(eqn, number)
            for number, eqn in enumerate(jaxpr.eqns, first)
            if eqn.primitive.name not in self._left_out
        ]
        self._jaxprs[id(jaxpr)] = jaxpr.replace(eqns=eqns)

    def closed(self, closed: ClosedJaxpr) -> ClosedJaxpr:
        if id(closed) not in self._closed:
            self._closed[id(closed)] = closed.replace(
                jaxpr=self._jaxprs[id(closed.jaxpr)],
                consts=[self._const(const) for const in closed.consts],
            )
        return self._closed[id(closed)]

    def _const(self, const: Any) -> Any:
        """What stands in place of an array: the same object wherever that array is closed over."""
        if id(const) not in self._consts:
            self._consts[id(const)] = self._exchange(const)
        return self._consts[id(const)]

    def _eqn(self, eqn: JaxprEqn, number: int) -> JaxprEqn:
        source = eqn.source_info
        if self._token is not None:
            stack = source.name_stack.extend(f"{self._token}{number}")
            source = source.replace(name_stack=stack)
        if not any(isinstance(value, _PARTS) for value in eqn.params.values()):
            return eqn.replace(source_info=source)
        params = {name: self._value(value, 0) for name, value in eqn.params.items()}
        return eqn.replace(source_info=source, params=params)

    def _value(self, value: Any, depth: int) -> Any:
        """A param with its jaxprs rewritten; the same object where it holds none."""
        if isinstance(value, ClosedJaxpr):
            return self.closed(value)
        if isinstance(value, Jaxpr):
            return self._jaxprs[id(value)]
        if depth > _DEPTH_LIMIT:
            return value
        if isinstance(value, dict):
            parts = {key: self._value(part, depth + 1) for key, part in value.items()}
            changed = any(parts[key] is not part for key, part in value.items())
            return parts if changed else value
        if isinstance(value, tuple | list):
            items = [self._value(part, depth + 1) for part in value]
            changed = any(new is not old for new, old in zip(items, value, strict=True))
            return _like(value, items) if changed else value
        return self._exchange(value) if is_function(value) else value


def _like(value: Any, items: list[Any]) -> Any:
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


def _inside_out(found: Walk) -> Iterator[int]:
    """The jaxprs of a program, each after all those that its eqns hold."""
    seen = {0}
    path = [(0, _held(found, 0))]
    while path:
        graph, rest = path[-1]
        inner = next((body for body in rest if body not in seen), None)
        if inner is None:
            path.pop()
            yield graph
        else:
            seen.add(inner)
            path.append((inner, _held(found, inner)))


def _held(found: Walk, graph: int) -> Iterator[int]:
    return (body.graph for bodies in found.inner[graph].values() for body in bodies)


def free_token(taken: str) -> str:
    """Letters to write before a number, which nothing in the text `taken` has before a digit."""
    token = "jv"
    while re.search(token + r"\d", taken):
        token += "z"
    return token


def _names(found: Walk) -> Iterator[str]:
    """All texts of the program that may become part of an op's name."""
    stacks: set[int] = set()
    for jaxpr in found.jaxprs:
        yield str(getattr(jaxpr, "debug_info", ""))
        for eqn in jaxpr.eqns:
            stack = eqn.source_info.name_stack
            if id(stack) not in stacks:
                stacks.add(id(stack))
                yield str(stack)
            yield eqn.primitive.name
            yield from (value for value in eqn.params.values() if type(value) is str)
