"""What flows between items, and what crosses the border of an open one. As
`js/src/layout/wires.ts`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from jaxviz import schema
from jaxviz.picture.model.ids import parse
from jaxviz.picture.model.outline import Item, Outline

BORDER = -1
"""The item that stands for a region's own border."""
PLAIN = -1


@dataclass(frozen=True)
class Port:
    """Where values cross the border of an open box, px right of its left side. Without an entry a
    value ends at the border."""

    vars: list[int]
    x: float


class Ports(Protocol):
    @property
    def entries(self) -> Sequence[Port]: ...
    @property
    def exits(self) -> Sequence[Port]: ...


class End(NamedTuple):
    """An item of the region by its index, or `BORDER`; and one of its ports, or `PLAIN`."""

    item: int
    port: int


@dataclass(eq=False)
class Wire:
    """Values that flow between two items of a region."""

    source: End
    target: End
    vars: list[int]


@dataclass(frozen=True)
class Wiring:
    wires: list[Wire]
    entries: list[list[int]]
    """The vars of each port of the region's own border."""
    exits: list[list[int]]


@dataclass(frozen=True)
class Held:
    """A region's items, and the ports of those that are open."""

    items: Sequence[Item]
    ports: Sequence[Ports | None]
    written: Container[int]
    """The vars whose values are written on their users."""


def wires_of_graph(outline: Outline, graph: schema.Graph, held: Held) -> Wiring:
    """The wires of a whole graph, which no value enters or leaves but through its binders."""
    collect = _Collector(held)
    _flow_within(outline, graph, held, collect)
    return collect.wiring()


def wires_of_group(
    outline: Outline, graph: schema.Graph, held: Held, start: int, stop: int
) -> Wiring:
    """The wires of eqns `[start, stop)` of a graph, and what crosses the group's border."""
    collect = _Collector(held)
    makers = _flow_within(outline, graph, held, collect)
    users = outline.flow(graph).users
    returned = set(graph.outvars)
    for var, source in makers.items():
        if (users[var] or [start])[-1] >= stop or var in returned:
            collect.leaving(var, source)
    return collect.wiring()


def _flow_within(
    outline: Outline, graph: schema.Graph, held: Held, collect: _Collector
) -> dict[int, int]:
    """For each var the item that makes it."""
    makers = {var: index for index, item in enumerate(held.items) for var in made_by(graph, item)}
    for target, item in enumerate(held.items):
        for var in used_by(outline, graph, item):
            source = makers.get(var)
            if source is None:
                collect.entering(var, target)
            else:
                collect.between(var, source, target)
    return makers


def wires_of_bodies(eqn: schema.Eqn, graph: schema.Graph, held: Held) -> Wiring:
    """The wires between the border of an eqn and its bodies, which stand side by side."""
    collect = _Collector(held)
    for item, body in enumerate(eqn.bodies):
        for operand in dict.fromkeys(body.inputs):
            if operand >= 0 and not graph.vars[eqn.invars[operand]].literal:
                collect.entering(eqn.invars[operand], item)
    for item, body in enumerate(eqn.bodies):
        for result in dict.fromkeys(body.outputs):
            if result >= 0:
                collect.leaving(eqn.outvars[result], item)
    return collect.wiring()


def used_by(outline: Outline, graph: schema.Graph, item: Item) -> list[int]:
    """The vars of its graph that an item takes, each once."""
    if item.is_output:
        return [var for var in dict.fromkeys(item.vars) if not graph.vars[var].literal]
    producer = outline.flow(graph).producer
    used: dict[int, None] = {}
    for index in range(item.start, item.stop):
        for var in _operands_of(graph, item, index):
            if not graph.vars[var].literal and not item.start <= producer[var] < item.stop:
                used[var] = None
    return list(used)


def made_by(graph: schema.Graph, item: Item) -> Sequence[int]:
    """The vars of its graph that an item makes."""
    if item.vars:
        return () if item.is_output else item.vars
    if item.kind == "body":
        eqn = graph.eqns[item.start]
        body = eqn.bodies[parse(item.id)[1].index]
        return [eqn.outvars[result] for result in body.outputs if result >= 0]
    return [var for eqn in graph.eqns[item.start : item.stop] for var in eqn.outvars]


def _operands_of(graph: schema.Graph, item: Item, index: int) -> list[int]:
    eqn = graph.eqns[index]
    if item.kind != "body":
        return eqn.invars
    body = eqn.bodies[parse(item.id)[1].index]
    return [eqn.invars[operand] for operand in body.inputs if operand >= 0]


class _Collector:
    """Gathers wires, those between the same two ends into one."""

    def __init__(self, held: Held) -> None:
        self.written = held.written
        self.wires: dict[tuple[End, End], Wire] = {}
        self.inward: dict[int, list[End]] = {}
        self.outward: dict[int, list[End]] = {}
        self.entry = [_by_var(ports.entries if ports else ()) for ports in held.ports]
        self.exit = [_by_var(ports.exits if ports else ()) for ports in held.ports]

    def between(self, var: int, source: int, target: int) -> None:
        if var in self.written:
            return
        start = self._exit_end(var, source)
        for end in self._entry_ends(var, target):
            self._add(start, end, var)

    def entering(self, var: int, target: int) -> None:
        if var not in self.written:
            self.inward.setdefault(var, []).extend(self._entry_ends(var, target))

    def leaving(self, var: int, source: int) -> None:
        if var not in self.written:
            self.outward.setdefault(var, []).append(self._exit_end(var, source))

    def wiring(self) -> Wiring:
        """Values that go to the same ends share a port."""
        entries = _bundles(self.inward)
        exits = _bundles(self.outward)
        for port, (ends, variables) in enumerate(entries.items()):
            for end in ends:
                for var in variables:
                    self._add(End(BORDER, port), end, var)
        for port, (ends, variables) in enumerate(exits.items()):
            for end in ends:
                for var in variables:
                    self._add(end, End(BORDER, port), var)
        return Wiring([*self.wires.values()], [*entries.values()], [*exits.values()])

    def _entry_ends(self, var: int, item: int) -> list[End]:
        return [End(item, port) for port in self.entry[item].get(var, (PLAIN,))]

    def _exit_end(self, var: int, item: int) -> End:
        return End(item, self.exit[item].get(var, (PLAIN,))[0])

    def _add(self, source: End, target: End, var: int) -> None:
        wire = self.wires.get((source, target))
        if wire:
            wire.vars.append(var)
        else:
            self.wires[source, target] = Wire(source, target, [var])


def _by_var(ports: Sequence[Port]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, port in enumerate(ports):
        for var in port.vars:
            found.setdefault(var, []).append(index)
    return found


def _bundles(crossing: dict[int, list[End]]) -> dict[tuple[End, ...], list[int]]:
    found: dict[tuple[End, ...], list[int]] = {}
    for var, ends in crossing.items():
        found.setdefault(tuple(ends), []).append(var)
    return found
