"""Copies a jaxpr and numbers its eqns, so that the ops of JAX and XLA can be linked to them.

JAX writes an eqn's name stack into every op that it lowers the eqn to, and XLA preserves it. In the
copy each name stack has one more scope, `<token><number>`. Nothing else changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxviz.capture.jaxprs.walk import Walk, bodies_first, is_function, walk

_DEPTH_LIMIT = 16
_PARTS = (tuple, list, dict, Jaxpr, ClosedJaxpr)


class Clone(NamedTuple):
    """The program with its eqns numbered from 0, through all graphs of its stage in their order."""

    closed: ClosedJaxpr
    token: str
    """Letters before each number, which no name in the program has before a digit."""


Exchange = Callable[[Any], Any]
"""Returns the replacement of an array that the program closes over, or of a function in params."""


def cloned(
    closed: ClosedJaxpr, exchange: Exchange = lambda const: const, left_out: Container[str] = ()
) -> Clone:
    """The numbered copy. It shares the jaxprs that the program shares, which JAX lowers once.

    Bodies in dataclasses (Pallas) are not numbered. The copy lacks the eqns of the primitives
    `left_out`, which have no results; their numbers are not used. Takes time linear in the number
    of distinct eqns, and does not recurse into bodies."""
    found = walk(closed.jaxpr)
    token = free_token("\n".join(set(_names(found))))
    return Clone(_rewritten(closed, found, _Rewriter(token, exchange, left_out)), token)


def exchanged(closed: ClosedJaxpr, found: Walk, exchange: Exchange) -> ClosedJaxpr:
    """The program with each closed-over array replaced by `exchange`. `found` is its `walk`."""
    return _rewritten(closed, found, _Rewriter(None, exchange))


def _rewritten(closed: ClosedJaxpr, found: Walk, rewriter: _Rewriter) -> ClosedJaxpr:
    first = list(accumulate((len(jaxpr.eqns) for jaxpr in found.jaxprs), initial=0))
    for graph in bodies_first(found):
        rewriter.add(found.jaxprs[graph], first[graph])
    return rewriter.closed(closed)


class _Rewriter:
    """Rewrites each jaxpr once. Finds by identity which copy belongs to a jaxpr."""

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
        """The array's replacement: one object for all uses of the array."""
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
        """The param with rewritten jaxprs; the same object if it contains none."""
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


def free_token(taken: str) -> str:
    """Letters that the text `taken` nowhere has before a digit."""
    token = "jv"
    while re.search(token + r"\d", taken):
        token += "z"
    return token


def _names(found: Walk) -> Iterator[str]:
    """All texts of the program that JAX may write into an op's name."""
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
