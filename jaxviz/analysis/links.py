"""What became of each eqn of the jaxpr, and what each later eqn was made from.

Eqns of the jaxpr are known by their number: counted from 0 through all graphs in their order.
"""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema


def guessed(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The stage with a guess for eqns whose origin is not known: that of all their users, or else
    of all that makes their operands, where those are known and agree.

    Linear: an eqn that has a guess is no reason for another one's."""
    if stage.kind == "jaxpr" or jaxpr is None:
        return stage
    known = sum(len(graph.eqns) for graph in jaxpr.graphs)
    return replace(stage, graphs=[_guessed(graph, known) for graph in stage.graphs])


def _guessed(graph: schema.Graph, known: int) -> schema.Graph:
    makers = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
    users: dict[int, list[int]] = {}
    for at, eqn in enumerate(graph.eqns):
        for var in eqn.invars:
            if var in makers:
                users.setdefault(makers[var], []).append(at)
    kept = set(graph.outvars)
    eqns = list(graph.eqns)
    for at, eqn in enumerate(graph.eqns):
        if eqn.origin:
            continue
        used = [] if kept & set(eqn.outvars) else users.get(at, [])
        made = [makers[var] for var in eqn.invars if var in makers]
        found = _common(graph, used) or _common(graph, made)
        if found and found[-1] < known:
            eqns[at] = replace(eqn, origin=found, guess=True)
    return replace(graph, eqns=eqns)


def _common(graph: schema.Graph, around: list[int]) -> list[int]:
    """The origin that all of them have; empty where they have none, or differ."""
    origins = {tuple(graph.eqns[at].origin) for at in around}
    return list(origins.pop()) if len(origins) == 1 else []
