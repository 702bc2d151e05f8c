"""Which graphs of a stage hold which."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import RUN, row_of


def inner_first(stage: schema.Stage) -> list[int]:
    """All graphs, each behind those that it holds. Linear in eqns and bodies."""
    held = [_held(graph) for graph in stage.graphs]
    order: list[int] = []
    begun: set[int] = set()
    for root in range(len(held)):
        if root in begun:
            continue
        begun.add(root)
        stack = [(root, iter(held[root]))]
        while stack:
            graph, rest = stack[-1]
            inner = next((each for each in rest if each not in begun), None)
            if inner is None:
                order.append(graph)
                stack.pop()
            else:
                begun.add(inner)
                stack.append((inner, iter(held[inner])))
    return order


def _held(graph: schema.Graph) -> list[int]:
    return list(dict.fromkeys(body.graph for eqn in graph.eqns for body in eqn.bodies))


def applied_graphs(stage: schema.Stage) -> set[int]:
    """Graphs whose values lie in registers: a fusion's instructions, a reducer, and what those
    hold. They move no bytes."""
    waiting = [
        body.graph
        for graph in stage.graphs
        for eqn in graph.eqns
        if eqn.bodies and row_of(eqn.op).bodies not in RUN
        for body in eqn.bodies
    ]
    found: set[int] = set()
    while waiting:
        graph = waiting.pop()
        if graph not in found:
            found.add(graph)
            waiting.extend(_held(stage.graphs[graph]))
    return found
