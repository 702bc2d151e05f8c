"""Where the ops of a module come from: from their locations, and from the calls around them.

A function may be called for several eqns. The names of ops begin anew in it, or before JAX 0.7
go on from the call that came first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from itertools import takewhile
from typing import NamedTuple

from jaxviz.capture.op_names import Names
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
        self._token = re.compile(rf"{re.escape(token)}(\d+)")
        self._scopes: dict[str, int] = {}
        """By the names of ops without numbers."""
        numbered = [(graph, eqn) for graph, held in enumerate(jaxpr.graphs) for eqn in held.eqns]
        self._eqns = [eqn for _, eqn in numbered]
        self._graph = [graph for graph, _ in numbered]
        self._made: dict[str, _Made] = {}
        self._known: dict[tuple[str, str], list[int]] = {}
        self._calls: dict[str, list[list[int]]] = {}
        """For each function the eqns of each call of it."""
        self._helpers: set[str] = set()
        """Functions that are no body of an eqn, but what JAX lowers an eqn to."""
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

    def within(self, origin: list[int], holder: list[int]) -> list[int]:
        """With the eqns of the op that holds it before it, where its name leaves them out."""
        if not origin or not holder or origin[0] in holder:
            return origin
        bodies = self._eqns[holder[-1]].bodies
        held = any(body.graph == self._graph[origin[0]] for body in bodies)
        return [*holder, *origin] if held else origin

    def of(self, op: Op, function: str) -> list[int]:
        """The eqns that the op was made for, outermost first. Empty where JAX does not say, as
        of most constants."""
        unnamed = not op.place and op.name == "stablehlo.constant"
        if unnamed and function not in self._helpers:
            return []
        key = (op.place, function)
        if key not in self._known:
            own = self._own(op.place, function)
            around = _common(self._calls.get(function, []))
            self._known[key] = [*around, *(number for number in own if number not in around)]
        return self._known[key]

    def _own(self, place: str, function: str) -> list[int]:
        """The numbers in an op's name, without those of the call that it begins with."""
        numbers = self._read(place).numbers
        calls = self._calls.get(function, [])
        begun = [len(call) for call in calls if numbers[: len(call)] == call]
        return numbers[max(begun, default=0) :]

    def _read(self, place: str) -> _Made:
        if place not in self._made:
            parts = self._token.split(place)
            rest = "".join(parts[::2])
            if rest not in self._scopes:
                self._scopes[rest] = self._names.scope(place)
            self._made[place] = _Made(_unique(map(int, parts[1::2])), self._scopes[rest])
        return self._made[place]

    def _follow(self, functions: list[Function]) -> None:
        """Finds the eqns of the calls of each function, callers first."""
        ops = {function.name: list(_all(function.body)) for function in functions}
        callers: dict[str, set[str]] = {name: set() for name in ops}
        for caller, held in ops.items():
            for op in held:
                for callee in called(op):
                    callers.setdefault(callee, set()).add(caller)
        for caller in TopologicalSorter(callers).static_order():
            held = ops.get(caller, [])
            if not any(self._own(place, caller) for place in {op.place for op in held}):
                self._helpers.add(caller)
            for op in held:
                for callee in called(op):
                    self._calls.setdefault(callee, []).append(self.of(op, caller))


def _unique(numbers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(numbers))


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


def _all(body: Region) -> Iterator[Op]:
    waiting = [body]
    while waiting:
        for op in waiting.pop().ops:
            waiting.extend(op.regions)
            yield op
