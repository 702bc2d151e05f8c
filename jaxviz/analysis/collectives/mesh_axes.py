"""The axes of a mesh: those that a collective exchanges along, and those that each graph of a jaxpr
runs along.

The axes of a collective follow from its groups or pairs of devices: XLA numbers devices along the
last axis first.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from jaxviz import schema
from jaxviz.schema import Groups, Pairs
from jaxviz.schema.graph import outside_in
from jaxviz.schema.params import MOST_DEVICES, in_order

Sets = frozenset[frozenset[int]]


def axes_of_groups(groups: Groups, mesh: Mapping[str, int]) -> list[str]:
    """Returns the axes along which the devices of each group lie: `["data"]` for {0, 2} and {1, 3}
    on a mesh of `data` 2 and `model` 2. Empty if none fit, or the groups are unknown."""
    return [*_axes_of_groups(groups, tuple(mesh.items()))]


@lru_cache(maxsize=256)
def _axes_of_groups(groups: Groups, mesh: tuple[tuple[str, int], ...]) -> tuple[str, ...]:
    if math.prod(size for _, size in mesh) > MOST_DEVICES:
        return ()
    sets = _sets(groups)
    wide = [axis for axis, size in mesh if size > 1]
    chosen = (some for count in range(1, len(wide) + 1) for some in combinations(wide, count))
    along = (
        one for one in chosen if _grouped([(size, axis in one) for axis, size in mesh]) == sets
    )
    return next(along, ())


def axes_of_pairs(pairs: Pairs, mesh: Mapping[str, int]) -> list[str]:
    """Returns the axes along which the pairs of a permute lie."""
    places = _places_of_pairs(pairs, mesh)
    return [axis for at, axis in enumerate(mesh) if any(a[at] != b[at] for a, b in places)]


def step_of_pairs(pairs: Pairs, mesh: Mapping[str, int]) -> int:
    """Returns the distance along these axes over which every device sends: 1 for 0 → 1, 1 → 2, 2 →
    3, also with 3 → 0, because the axes wrap around. Returns 0 if devices send over different
    distances."""
    axes, places = axes_of_pairs(pairs, mesh), _places_of_pairs(pairs, mesh)
    devices, size = (math.prod(mesh[axis] for axis in of) for of in (mesh, axes))
    numbers = [[_along(place, axes, mesh) for place in pair] for pair in places]
    steps = {after - before for before, after in numbers}
    step = min(steps, key=lambda one: (abs(one), -one), default=0)
    wrapped = {one for one in steps if one != step and (one - step) % size == 0}
    # If no pair wraps around, the last `abs(step)` of the `size` places along the axes do not send.
    senders = devices if wrapped else devices * (size - abs(step)) // size
    return step if steps == {step, *wrapped} and len(places) == senders else 0


def _along(place: Sequence[int], axes: Sequence[str], mesh: Mapping[str, int]) -> int:
    """The number of a device among those along some axes."""
    number = 0
    for at, (axis, size) in zip(place, mesh.items(), strict=True):
        number = number * size + at if axis in axes else number
    return number


def _places_of_pairs(pairs: Pairs, mesh: Mapping[str, int]) -> list[tuple[list[int], list[int]]]:
    """The places of both devices of each pair; empty if a device is not on the mesh."""
    sizes = [*mesh.values()]
    if max((*pairs.sources, *pairs.targets), default=0) >= math.prod(sizes):
        return []
    both = zip(pairs.sources, pairs.targets, strict=True)
    return [(_place(one, sizes), _place(other, sizes)) for one, other in both]


def _place(device: int, sizes: Sequence[int]) -> list[int]:
    """The place of a device along each axis."""
    found: list[int] = []
    for size in reversed(sizes):
        device, at = divmod(device, size)
        found.append(at)
    return found[::-1]


def _sets(groups: Groups) -> Sets | None:
    """The devices of each group; None if unknown."""
    devices, size = groups.devices, groups.size
    if groups.dims and math.prod(groups.dims) <= MOST_DEVICES:
        devices = in_order(groups.dims, groups.order)
    if not devices or not size:
        return None
    cut = (devices[at : at + size] for at in range(0, len(devices), size))
    return frozenset(frozenset(device for device in one if device >= 0) for one in cut)


def _grouped(sizes: Sequence[tuple[int, bool]]) -> Sets:
    """The groups of devices that share their place along every axis not marked True."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for device, place in enumerate(product(*(range(size) for size, _ in sizes))):
        key = tuple(at for at, (_, inside) in zip(place, sizes, strict=True) if not inside)
        found[key].append(device)
    return frozenset(map(frozenset, found.values()))


class Axes(NamedTuple):
    """The axes along which devices run a graph."""

    sizes: dict[str, int]
    """The number of devices along each axis; 0 if callers of the graph differ in it."""
    all_manual: bool
    """True if values are those of one device: no axis is left to the partitioner."""

    def devices(self, axes: list[str]) -> int | None:
        """The number of devices along all these axes; None if unknown."""
        return math.prod(self.sizes.get(axis, 0) for axis in axes) or None


def axes_of_graphs(stage: schema.Stage) -> list[Axes]:
    """For each graph, the axes of all `shard_map`s around it."""
    found: list[Axes | None] = [None for _ in stage.graphs]
    for number in outside_in(stage.graphs):
        around = found[number] or NO_AXES
        for eqn in stage.graphs[number].eqns:
            inside = _inside(eqn, around) if eqn.bodies else around
            for body in eqn.bodies:
                found[body.graph] = _both(found[body.graph], inside)
    return [one or NO_AXES for one in found]


NO_AXES = Axes({}, all_manual=False)


def _inside(eqn: schema.Eqn, around: Axes) -> Axes:
    if not isinstance(eqn.attributes, schema.Manual):
        return around
    sizes, own = sizes_of(eqn.attributes.mesh), eqn.attributes.axes
    manual = {**around.sizes, **{axis: sizes[axis] for axis in own}}
    whole = all(size == 1 or axis in manual for axis, size in sizes.items())
    return Axes(manual, all_manual=whole and bool(sizes))


def sizes_of(mesh: Iterable[schema.MeshAxis]) -> dict[str, int]:
    return {axis.name: axis.size for axis in mesh}


def mesh_of(stage: schema.Stage, jaxpr: schema.Stage | None) -> dict[str, int]:
    """Returns the axes of the program's mesh, with their sizes. The mesh is that of the call, or of
    its `shard_map`s. Empty if there is no mesh, or several."""
    if stage.call is not None and stage.call.mesh:
        return sizes_of(stage.call.mesh)
    eqns = [] if jaxpr is None else [eqn for graph in jaxpr.graphs for eqn in graph.eqns]
    found = {
        eqn.attributes.mesh
        for eqn in eqns
        if eqn.op == "shard_map" and isinstance(eqn.attributes, schema.Manual)
    }
    return sizes_of(found.pop()) if len(found) == 1 else {}


def _both(first: Axes | None, other: Axes) -> Axes:
    """The axes that two callers of a graph have in common."""
    if first is None or first == other:
        return other
    names = {*first.sizes, *other.sizes}
    same = {axis: first.sizes.get(axis) == other.sizes.get(axis) for axis in names}
    sizes = {axis: other.sizes[axis] if same[axis] else 0 for axis in names}
    return Axes(sizes, all_manual=first.all_manual and other.all_manual)
