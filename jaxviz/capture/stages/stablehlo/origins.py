"""Finds the eqns of the jaxpr that each op of a module was made for.

They are numbers in the op's name. But names begin anew in each function of the module, so the eqns
of the calls of that function are put in front. Before JAX 0.7, names in a function go on from its
first call. If a function is called for several eqns, only what all calls have in common is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from typing import NamedTuple

from jaxviz.capture.stages.op_names import Names
from jaxviz.capture.stages.stablehlo.operations import Function, Op, Region
from jaxviz.schema import Eqn, Stage


class _NameParts(NamedTuple):
    """An op's name, read."""

    numbers: tuple[int, ...]
    """The eqns that it names, outermost first, each once."""
    scope: int
    """Index into `Stage.scopes`."""


class Origins:
    """Knows which eqns the ops of a module were made for, and their scopes. Eqns go by their number
    through all graphs of the jaxpr; functions by their names."""

    def __init__(self, functions: list[Function], jaxpr: Stage, token: str) -> None:
        self._names = Names(token)
        numbered = [(graph, eqn) for graph, held in enumerate(jaxpr.graphs) for eqn in held.eqns]
        self._eqns = [eqn for _, eqn in numbered]
        self._graph = [graph for graph, _ in numbered]
        self._made: dict[str, _NameParts] = {}
        self._known: dict[tuple[str, str], tuple[int, ...]] = {}
        self._calls: dict[str, list[tuple[int, ...]]] = {}
        """For each function, the eqns that each call of it was made for."""
        self._helpers: set[str] = set()
        """Functions whose ops name no eqns: an eqn was lowered to a call of such a function."""
        self._follow(functions)

    @property
    def scopes(self) -> list[str]:
        return list(self._names.scopes)

    def scope(self, op: Op) -> int:
        """The op's scope, as an index into `scopes`."""
        return self._read(op.place).scope

    def eqn(self, origin: tuple[int, ...]) -> Eqn | None:
        """The innermost eqn of an origin; None if the origin is empty."""
        return self._eqns[origin[-1]] if origin else None

    def within(self, origin: tuple[int, ...], holder: tuple[int, ...]) -> tuple[int, ...]:
        """The `origin` of an op in a region. If it begins within a body of the eqn of `holder`, the
        origin of the op that holds the region, `holder` is put in front."""
        if not origin or not holder or origin[0] in holder:
            return origin
        bodies = self._eqns[holder[-1]].bodies
        held = any(body.graph == self._graph[origin[0]] for body in bodies)
        return (*holder, *origin) if held else origin

    def of(self, op: Op, function: str) -> tuple[int, ...]:
        """The eqns that the op was made for, outermost first. Empty if JAX does not say, as for
        most constants."""
        unnamed = not op.place and op.name == "stablehlo.constant"
        if unnamed and function not in self._helpers:
            return ()
        key = (op.place, function)
        if key not in self._known:
            own = self._own(op.place, function)
            around = _common(self._calls.get(function, []))
            self._known[key] = (*around, *(number for number in own if number not in around))
        return self._known[key]

    def _own(self, place: str, function: str) -> tuple[int, ...]:
        """The eqns in an op's name, without those of a call of its function at the beginning."""
        numbers = self._read(place).numbers
        calls = self._calls.get(function, [])
        begun = [len(call) for call in calls if numbers[: len(call)] == call]
        return numbers[max(begun, default=0) :]

    def _read(self, place: str) -> _NameParts:
        if place not in self._made:
            numbers, scope = self._names.read(place)
            self._made[place] = _NameParts(tuple(dict.fromkeys(numbers)), scope)
        return self._made[place]

    def _follow(self, functions: list[Function]) -> None:
        """Finds the eqns that each call of a function was made for. A caller is read before the
        functions that it calls, since its own calls belong to the eqns of its ops. Raises
        ValueError if functions call one another in a circle."""
        ops = {function.name: list(_all(function.body)) for function in functions}
        callers: dict[str, set[str]] = {name: set() for name in ops}
        for caller, held in ops.items():
            for op in held:
                for callee in called(op):
                    callers.setdefault(callee, set()).add(caller)
        for caller in _callers_first(callers):
            held = ops.get(caller, [])
            if not any(
                self._own(place, caller) for place in dict.fromkeys(op.place for op in held)
            ):
                self._helpers.add(caller)
            for op in held:
                for callee in called(op):
                    self._calls.setdefault(callee, []).append(self.of(op, caller))


def _callers_first(callers: dict[str, set[str]]) -> list[str]:
    try:
        return [*TopologicalSorter(callers).static_order()]
    except CycleError:
        raise ValueError("its functions call one another in a circle") from None


def _common(chains: list[tuple[int, ...]]) -> list[int]:
    """The numbers that all chains begin with."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*chains, strict=False))
    return [level[0] for level in levels]


CALLS = frozenset(("func.call", "stablehlo.custom_call", "stablehlo.composite"))
"""Ops that may call functions of the module by name."""


def called(op: Op) -> list[str]:
    """The names of the functions of the module that an op calls."""
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
