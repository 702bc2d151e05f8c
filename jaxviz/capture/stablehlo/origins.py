"""Where the ops of a module come from: from their locations, and from the calls around them.

From 0.7 or so on the names of ops begin anew in each function, which may be called for several
eqns; before, they go on from the call that came first.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import takewhile
from typing import NamedTuple

from jaxviz.capture.hlo.names import Names
from jaxviz.capture.stablehlo.operations import Function, Op, Region
from jaxviz.schema import Eqn, Stage


class _Made(NamedTuple):
    """What the name of an op says of it."""

    numbers: list[int]
    scope: int


class Origins:
    """The eqns that ops were made for, and their scopes."""

    def __init__(self, functions: list[Function], jaxpr: Stage, token: str) -> None:
        self._names = Names(token)
        self._eqns = [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
        self._made: dict[str, _Made] = {}
        self._known: dict[tuple[str, str], list[int]] = {}
        self._calls: dict[str, list[list[int]]] = {}
        self._follow(functions)

    @property
    def scopes(self) -> list[str]:
        return list(self._names.scopes)

    def scope(self, op: Op) -> int:
        """Index into `scopes`."""
        return self._read(op.place).scope

    def eqn(self, origin: list[int]) -> Eqn | None:
        """The eqn of the jaxpr that an op was made for."""
        return self._eqns[origin[-1]] if origin else None

    def of(self, op: Op, function: str) -> list[int]:
        """The eqns that the op was made for, outermost first. Empty where JAX does not say, as
        of most constants."""
        key = (op.place, function)
        if key not in self._known:
            self._known[key] = self._origin(op.place, function)
        return self._known[key]

    def _origin(self, text: str, function: str) -> list[int]:
        if not text:
            return []
        origin = self._read(text).numbers
        calls = self._calls.get(function, [])
        for call in sorted(calls, key=len, reverse=True):
            if call and origin[: len(call)] == call:
                origin = origin[len(call) :]
                break
        around = _common(calls)
        return [*around, *(number for number in origin if number not in around)]

    def _read(self, text: str) -> _Made:
        if text not in self._made:
            numbers = list(dict.fromkeys(self._names.numbers(text)))
            self._made[text] = _Made(numbers, self._names.scope(text))
        return self._made[text]

    def _follow(self, functions: list[Function]) -> None:
        """Finds the eqns of the calls of each function, callers first."""
        calls = {function.name: list(_calls(function.body)) for function in functions}
        callers: dict[str, set[str]] = {name: set() for name in calls}
        for caller, found in calls.items():
            for callee, _ in found:
                callers.setdefault(callee, set()).add(caller)
        for caller in TopologicalSorter(callers).static_order():
            for callee, op in calls.get(caller, []):
                self._calls.setdefault(callee, []).append(self.of(op, caller))


def _common(chains: list[list[int]]) -> list[int]:
    """What all chains begin with."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*chains, strict=False))
    return [level[0] for level in levels]


CALLS = frozenset(("func.call", "stablehlo.custom_call", "stablehlo.composite"))
"""Ops that may call functions of the module by name."""


def called(op: Op) -> list[str]:
    """The functions that an op calls."""
    if op.name not in CALLS:
        return []
    found = op.attributes.get("callee") or op.attributes.get("decomposition")
    if found is not None:
        return [found.value]
    return [symbol.value for symbol in op.attributes.get("called_computations") or []]


def _calls(body: Region) -> Iterator[tuple[str, Op]]:
    waiting = [body]
    while waiting:
        for op in waiting.pop().ops:
            waiting.extend(op.regions)
            for callee in called(op):
                yield callee, op
