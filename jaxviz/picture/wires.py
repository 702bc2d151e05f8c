"""Which item feeds which, and what crosses the border of an open box. As `wires.ts`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxviz.picture.items import Item

BORDER = -1
PLAIN = -1


@dataclass(frozen=True)
class Port:
    """Where values cross the border of an open box, px right of its left side."""

    vars: tuple[int, ...]
    x: float


End = tuple[int, int]
"""An item of the region by its index, or `BORDER`; and one of its ports, or `PLAIN`."""


@dataclass
class Wiring:
    """The wires of a region by their ends, and the values of each port of its own border."""

    wires: dict[tuple[End, End], list[int]] = field(
        default_factory=dict[tuple[End, End], list[int]]
    )
    entries: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    exits: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])


def wire(
    items: list[Item], entries: list[list[Port]], exits: list[list[Port]], holder: Item | None
) -> Wiring:
    """The wires between items. `entries` and `exits` are those of each open item, `holder` is the
    group or eqn they stand in; None for a whole graph, which values enter by its binders alone."""
    makers: dict[int, int] = {}
    if holder is None or holder.kind == "group":
        makers = {var: index for index, item in enumerate(items) for var in item.makes}
    entering: dict[int, list[End]] = {}
    wiring = Wiring()
    for index, item in enumerate(items):
        for var in item.takes:
            ends = _ends(entries[index], index, var)
            maker = makers.get(var)
            if maker is None:
                entering.setdefault(var, []).extend(ends)
                continue
            for end in ends:
                start = _ends(exits[maker], maker, var)[0]
                wiring.wires.setdefault((start, end), []).append(var)
    if holder is not None:
        _cross(wiring, entering, _leaving(items, exits, holder))
    return wiring


def _leaving(items: list[Item], exits: list[list[Port]], holder: Item) -> dict[int, list[End]]:
    leaving: dict[int, list[End]] = {}
    for index, item in enumerate(items):
        for var in item.makes:
            if var in holder.makes:
                leaving.setdefault(var, []).append(_ends(exits[index], index, var)[0])
    return leaving


def _cross(wiring: Wiring, entering: dict[int, list[End]], leaving: dict[int, list[End]]) -> None:
    """Values that go to the same ends share a port of the border."""
    for port, (ends, variables) in enumerate(_bundles(entering.items())):
        wiring.entries.append(variables)
        for end in ends:
            wiring.wires[(BORDER, port), end] = list(variables)
    for port, (ends, variables) in enumerate(_bundles(leaving.items())):
        wiring.exits.append(variables)
        for end in ends:
            wiring.wires[end, (BORDER, port)] = list(variables)


def _ends(ports: list[Port], item: int, var: int) -> list[End]:
    return [(item, i) for i, port in enumerate(ports) if var in port.vars] or [(item, PLAIN)]


def _bundles(
    crossing: Iterable[tuple[int, list[End]]],
) -> list[tuple[tuple[End, ...], tuple[int, ...]]]:
    found: dict[tuple[End, ...], list[int]] = {}
    for var, ends in crossing:
        found.setdefault(tuple(ends), []).append(var)
    return [(ends, tuple(variables)) for ends, variables in found.items()]
