"""Finds the origin of each op of a module: the eqns of the jaxpr that it was made for.

The eqns are numbers in the op's name. Names restart in each function of the module, so an origin
begins with the eqns of the function's calls. Before JAX 0.7, names in a function continue that of
its first call. If a function is called for several eqns, their common beginning counts.

`number_ops` numbers the ops themselves, for origins of instructions in a module without jaxpr.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import takewhile
from typing import Any, NamedTuple

from jaxlib.mlir import ir

from jaxviz.capture.jaxprs.clone import free_token
from jaxviz.capture.stages.op_names import Names
from jaxviz.capture.stages.stablehlo.operations import Function, Op, Region, location_name
from jaxviz.schema import Eqn, Stage


class _NameParts(NamedTuple):
    """The numbers and the scope in an op's name."""

    numbers: tuple[int, ...]
    """The numbers of eqns, outermost first, each once."""
    scope: int
    """Index into `Stage.scopes`."""


class Origins:
    """The origins and scopes of a module's ops. Eqns are numbered through all graphs of the jaxpr.
    Functions are found by their names."""

    def __init__(self, functions: list[Function], jaxpr: Stage, token: str) -> None:
        self._names = Names(token)
        self._eqns = [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
        self._graph = [number for number, graph in enumerate(jaxpr.graphs) for _ in graph.eqns]
        self._parts: dict[str, _NameParts] = {}
        self._cached: dict[tuple[str, str], tuple[int, ...]] = {}
        self._calls: dict[str, list[tuple[int, ...]]] = {}
        """For each function, the origin of each of its calls."""
        self._helpers: set[str] = set()
        """Functions whose ops name no eqns. JAX lowers an eqn to a call of such a function."""
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
        """The `origin` of an op in a region. `holder` is the origin of the region's op. The result
        begins with it if the first eqn of `origin` is in a body of the last eqn of `holder`."""
        if not origin or not holder or origin[0] in holder:
            return origin
        bodies = self._eqns[holder[-1]].bodies
        is_inner = any(body.graph == self._graph[origin[0]] for body in bodies)
        return (*holder, *origin) if is_inner else origin

    def of(self, op: Op, function: str) -> tuple[int, ...]:
        """The op's origin, outermost first. Empty if JAX does not name eqns, as in most
        constants."""
        unnamed = not op.place and op.name == "stablehlo.constant"
        if unnamed and function not in self._helpers:
            return ()
        key = (op.place, function)
        if key not in self._cached:
            own = self._own(op.place, function)
            calls = zip(*self._calls.get(function, []), strict=False)
            around = [level[0] for level in takewhile(lambda level: len(set(level)) == 1, calls)]
            self._cached[key] = (*around, *(number for number in own if number not in around))
        return self._cached[key]

    def _own(self, place: str, function: str) -> tuple[int, ...]:
        """The eqns in an op's name, without those of a call of its function."""
        numbers = self._read(place).numbers
        calls = self._calls.get(function, [])
        begun = [len(call) for call in calls if numbers[: len(call)] == call]
        return numbers[max(begun, default=0) :]

    def _read(self, place: str) -> _NameParts:
        if place not in self._parts:
            numbers, scope = self._names.read(place)
            self._parts[place] = _NameParts(tuple(dict.fromkeys(numbers)), scope)
        return self._parts[place]

    def _follow(self, functions: list[Function]) -> None:
        """Finds the origin of each call of a function. A caller is read before the functions that
        it calls, since these origins need its own. Raises ValueError if functions call one another
        in a circle."""
        ops = {function.name: list(_all(function.body)) for function in functions}
        callers: dict[str, set[str]] = {name: set() for name in ops}
        for caller, own in ops.items():
            for op in own:
                for callee in called(op):
                    callers.setdefault(callee, set()).add(caller)
        try:
            callers_first = [*TopologicalSorter(callers).static_order()]
        except CycleError:
            raise ValueError("its functions call one another in a circle") from None
        for caller in callers_first:
            own = ops.get(caller, [])
            if not any(self._own(place, caller) for place in dict.fromkeys(op.place for op in own)):
                self._helpers.add(caller)
            for op in own:
                for callee in called(op):
                    self._calls.setdefault(callee, []).append(self.of(op, caller))


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


def number_ops(module: Any) -> str:
    """Numbers the ops in their names, and returns the token before each number. Changes the module
    in place. The numbers are those of the eqns of its stage, through all graphs in order."""
    token = free_token(module.operation.get_asm(enable_debug_info=True, large_elements_limit=1))
    blocks = [region for function in _functions(module) for region in function.regions]
    number = 0
    with module.context:
        for region in blocks:
            ops = [op.operation for block in region.blocks for op in block.operations]
            for op in ops:
                if op.name.endswith(".return"):
                    continue
                op = _renamed(op, _numbered(location_name(op.location), f"{token}{number}"))
                blocks.extend(op.regions)
                number += 1
    return token


def _functions(module: Any) -> list[Any]:
    """The functions in the order of `functions_of`."""
    found = [op.operation for op in module.body.operations]
    functions = [op for op in found if op.name == "func.func"]
    return sorted(functions, key=lambda op: op.attributes["sym_name"].value != "main")


def _numbered(name: str, number: str) -> str:
    around, slash, own = name.rpartition("/")
    return f"{around}{slash}{number}/{own}"


def _renamed(op: Any, name: str) -> Any:
    """The op with that name. Before JAX 0.7 an op's location cannot be set: a new op replaces
    it."""
    location = ir.Location.name(name)
    try:
        op.location = location
        return op
    except AttributeError:
        return _replaced(op, location)


def _replaced(op: Any, location: Any) -> Any:
    made = ir.Operation.create(
        op.name,
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes={one.name: one.attr for one in op.attributes},
        regions=len(op.regions),
        loc=location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.regions, made.regions, strict=True):
        for block in list(old.blocks):
            block.append_to(new)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return made
