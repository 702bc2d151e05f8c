"""The order of a stage's graphs: which holds which."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.schema.program import Graph


def outside_in(graphs: Sequence[Graph]) -> list[int]:
    """Every graph before all that its eqns hold. Graphs that hold one another in a circle, and
    what they hold, are left out."""
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
