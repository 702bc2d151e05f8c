"""Removes wrong origins that XLA gave."""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns, Origin
from jaxviz.ops import row_of

_MOVES = frozenset(("bitcast", "copy", "reshape", "transpose"))
"""Instructions that move elements and change none."""


def without_wrong_origins(stage: schema.Stage, jaxpr: JaxprEqns) -> schema.Stage:
    """The stage of optimized HLO without impossible origins."""
    appliers = _appliers(stage)
    graphs = [
        _of_what_moves(_of_what_is_applied(graph, appliers.get(number)), jaxpr)
        for number, graph in enumerate(stage.graphs)
    ]
    return replace(stage, graphs=graphs)


def _appliers(stage: schema.Stage) -> dict[int, list[Origin]]:
    """The origins of eqns that apply a graph to elements, as a reduction does, if all of these eqns
    have one."""
    holders: dict[int, list[schema.Eqn]] = defaultdict(list)
    for eqn in (eqn for graph in stage.graphs for eqn in graph.eqns):
        for body in eqn.bodies:
            holders[body.graph].append(eqn)
    return {
        graph: [one.origin for one in found]
        for graph, found in holders.items()
        if all(one.origin and row_of(one.op).bodies == "applied" for one in found)
    }


def _of_what_is_applied(graph: schema.Graph, appliers: list[Origin] | None) -> schema.Graph:
    """The graph without origins of other eqns than those that apply it.

    XLA merges equal computations, such as those of reductions that add. All their eqns then have
    the names of the first.
    """
    if appliers is None:
        return graph

    def checked(eqn: schema.Eqn) -> schema.Eqn:
        fits = any(eqn.origin[: len(one)] == one for one in appliers)
        return eqn if fits or not eqn.origin else replace(eqn, origin=())

    return replace(graph, eqns=[checked(eqn) for eqn in graph.eqns])


def _of_what_moves(graph: schema.Graph, jaxpr: JaxprEqns) -> schema.Graph:
    """The graph without origins of instructions that only move elements, if the eqn moves none.

    When XLA moves a change of shape past an op, it gives the new instruction the op's name. But no
    `mul` becomes a `bitcast`. That was made for another eqn, which is unknown.
    """
    eqns = [*graph.eqns]
    moves = [at for at, eqn in enumerate(eqns) if eqn.origin and row_of(eqn.op).name in _MOVES]
    makers = {var: eqn for eqn in eqns for var in eqn.outvars} if moves else {}
    for at in moves:
        eqn = graph.eqns[at]
        before = makers.get(eqn.invars[0])
        same = before is not None and before.origin == eqn.origin
        if jaxpr.moves_nothing(eqn.origin[-1], same):
            eqns[at] = replace(eqn, origin=())
    return replace(graph, eqns=eqns)
