"""Orders the graphs of a stage by which holds which as the body of an eqn."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.schema.graph import Graph


def outside_in(graphs: Sequence[Graph]) -> list[int]:
    """The graphs' indices, each before those that its eqns hold. Graphs that hold one another in a
    circle, and what these hold, are left out."""
    holders = [0] * len(graphs)
    bodies = [[body.graph for eqn in graph.eqns for body in eqn.bodies] for graph in graphs]
    for held in bodies:
        for graph in held:
            holders[graph] += 1
    order = [index for index, count in enumerate(holders) if count == 0]
    for index in order:
        for graph in bodies[index]:
            holders[graph] -= 1
            if holders[graph] == 0:
                order.append(graph)
    return order


def inner_first(graphs: Sequence[Graph]) -> list[int]:
    """The graphs' indices, each once and after all that its eqns hold. Takes time linear in eqns
    and bodies, and does not recurse."""
    held = [list(dict.fromkeys(b.graph for e in graph.eqns for b in e.bodies)) for graph in graphs]
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
