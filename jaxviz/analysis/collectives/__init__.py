"""Collectives: the axes along which devices exchange values, the bytes that each sends, and the
cause.

`bytes_sent` counts the bytes, `mesh_axes` finds the axes, and `causes` finds why the partitioner
inserted a collective. `sent_values` finds the value of the program that is sent. In a jaxpr or
StableHLO, bytes are reported only if a `shard_map` splits values over all axes: otherwise only
optimized HLO has the part of each device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import ne

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.collectives.bytes_sent import KINDS, bytes_sent
from jaxviz.analysis.collectives.causes import Causes
from jaxviz.analysis.collectives.mesh_axes import (
    axes_of_graphs,
    axes_of_groups,
    axes_of_pairs,
    mesh_of,
)
from jaxviz.analysis.cost.bytes_moved import added
from jaxviz.ops import row_of
from jaxviz.schema.graph import first_eqns


def with_collectives(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with its `collectives`. `jaxpr` is the jaxpr of the same program, which names the
    axes of later stages. It is None if `stage` is the jaxpr itself."""
    if not any(row_of(op).name in KINDS for op in {e.op for g in stage.graphs for e in g.eqns}):
        return stage
    found = [*_in_jaxpr(stage)] if stage.kind == "jaxpr" else [*_in_later(stage, jaxpr)]
    return replace(stage, collectives=found)


def _collective_eqns(stage: schema.Stage) -> Iterator[tuple[int, int, schema.Eqn, str]]:
    """Each collective: its eqn number, its graph number, the eqn and its kind."""
    starts = first_eqns(stage.graphs)
    for number, graph in enumerate(stage.graphs):
        for at, eqn in enumerate(graph.eqns, starts[number]):
            kind = KINDS.get(row_of(eqn.op).name)
            if kind is not None:
                yield at, number, eqn, kind


def _in_jaxpr(stage: schema.Stage) -> Iterator[schema.Collective]:
    axes_around = axes_of_graphs(stage)
    for at, graph, eqn, kind in _collective_eqns(stage):
        attributes = eqn.attributes
        is_collective = isinstance(attributes, schema.Groups | schema.Pairs)
        axes = [*attributes.axes] if is_collective else []
        if not axes:
            continue  # vmap replaced the axis by a dimension of the array
        devices = _devices(eqn)
        if devices is None and kind != "permute":
            devices = axes_around[graph].devices(axes)
        size = _operand_bytes(stage, graph, eqn) if axes_around[graph].all_manual else None
        yield _collective(at, kind, axes, devices, size)


def _devices(eqn: schema.Eqn) -> int | None:
    """The number of devices that exchange with each other or send to another; None if unknown."""
    match eqn.attributes:
        case schema.Groups(size=size):
            return size or None
        case schema.Pairs(sources=sources, targets=targets):
            return sum(map(ne, sources, targets))
        case _:
            return None


def _axes(eqn: schema.Eqn, mesh: Mapping[str, int]) -> list[str]:
    """The axes along which devices exchange; empty if none fit."""
    match eqn.attributes:
        case schema.Groups() as groups:
            return axes_of_groups(groups, mesh)
        case schema.Pairs() as pairs:
            return axes_of_pairs(pairs, mesh)
        case _:
            return []


def _in_later(stage: schema.Stage, jaxpr: schema.Stage | None) -> Iterable[schema.Collective]:
    first = {} if jaxpr is None else {one.eqn: one for one in jaxpr.collectives}
    mesh = mesh_of(stage, jaxpr)
    found: dict[int, schema.Collective] = {}
    inserted: set[int] = set()
    for at, graph, eqn, kind in _collective_eqns(stage):
        made_for = first.get(eqn.origin[-1]) if eqn.origin else None
        is_partly_split = made_for is not None and made_for.sent is None
        size = (
            None if is_partly_split and stage.kind != "hlo" else _operand_bytes(stage, graph, eqn)
        )
        axes = made_for.axes if made_for else _axes(eqn, mesh)
        found[at] = _collective(at, kind, axes, _devices(eqn), size)
        if made_for is None:
            inserted.add(at)
    if jaxpr is not None and jaxpr.kind == "jaxpr" and stage.kind == "hlo":
        causes = Causes(stage, jaxpr, found, mesh)
        found |= {at: replace(found[at], cause=causes.of(at)) for at in sorted(inserted)}
    return found.values()


def _operand_bytes(stage: schema.Stage, graph: int, eqn: schema.Eqn) -> int | None:
    """The bytes of the operands on one device."""
    variables = stage.graphs[graph].vars
    return added([stage.avals[variables[var].aval].bytes for var in eqn.invars])


def _collective(
    at: int, kind: str, axes: list[str], devices: int | None, size: int | None
) -> schema.Collective:
    amount = None if size is None or devices is None else bytes_sent(kind, devices, size)
    return schema.Collective(eqn=at, kind=kind, axes=axes, devices=devices, sent=amount, cause="")
