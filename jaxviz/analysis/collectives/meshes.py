"""Knows the axes of the meshes within which each graph of a jaxpr runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from jaxviz import schema
from jaxviz.schema.graph import outside_in


class Axes(NamedTuple):
    """The axes along which devices run a graph."""

    sizes: dict[str, int]
    """How many devices there are along each; 0 where that is not the same for all that hold it."""
    by_hand: bool
    """Whether its values are those of one device: no axis is left to XLA's partitioner."""

    def devices(self, axes: list[str]) -> int | None:
        """How many devices there are along all these axes; None where not known."""
        return math.prod(self.sizes.get(axis, 0) for axis in axes) or None


def axes_of_graphs(stage: schema.Stage) -> list[Axes]:
    """For each graph the axes of all `shard_map`s around it."""
    found: list[Axes | None] = [None for _ in stage.graphs]
    for number in outside_in(stage.graphs):
        around = found[number] or NOWHERE
        for eqn in stage.graphs[number].eqns:
            inside = _inside(eqn, around) if eqn.bodies else around
            for body in eqn.bodies:
                found[body.graph] = _both(found[body.graph], inside)
    return [one or NOWHERE for one in found]


NOWHERE = Axes({}, by_hand=False)


def _inside(eqn: schema.Eqn, around: Axes) -> Axes:
    if not isinstance(eqn.attributes, schema.Manual):
        return around
    sizes, own = sizes_of(eqn.attributes.mesh), eqn.attributes.axes
    known = {**around.sizes, **{axis: sizes[axis] for axis in own}}
    whole = all(size == 1 or axis in known for axis, size in sizes.items())
    return Axes(known, by_hand=whole and bool(sizes))


def sizes_of(mesh: Iterable[schema.MeshAxis]) -> dict[str, int]:
    """How many devices a mesh has along each axis."""
    return {axis.name: axis.size for axis in mesh}


def mesh_of(stage: schema.Stage, jaxpr: schema.Stage | None) -> dict[str, int]:
    """The axes of the program's mesh with their sizes: that of the call, or of its `shard_map`s.
    Empty where there is none, or several."""
    if stage.call is not None and stage.call.mesh:
        return sizes_of(stage.call.mesh)
    eqns = [] if jaxpr is None else [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
    found = {
        eqn.attributes.mesh
        for eqn in eqns
        if eqn.op == "shard_map" and isinstance(eqn.attributes, schema.Manual)
    }
    return sizes_of(found.pop()) if len(found) == 1 else {}


def _both(known: Axes | None, other: Axes) -> Axes:
    """What is true of both places that hold a graph."""
    if known is None or known == other:
        return other
    names = {*known.sizes, *other.sizes}
    same = {axis: known.sizes.get(axis) == other.sizes.get(axis) for axis in names}
    sizes = {axis: other.sizes[axis] if same[axis] else 0 for axis in names}
    return Axes(sizes, by_hand=known.by_hand and other.by_hand)
