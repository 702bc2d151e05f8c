"""What is found out of a graph once. As `js/src/facts/graph.ts`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxviz import schema


@dataclass(frozen=True)
class Flow:
    """Where each variable of a graph comes from and goes to."""

    producer: list[int]
    """The eqn that makes it, or -1 (an input, a const or a literal)."""
    users: list[list[int]]
    """The eqns that use it, in order, each once."""


def flow_of(graph: schema.Graph) -> Flow:
    flow = Flow([-1] * len(graph.vars), [[] for _ in graph.vars])
    for index, eqn in enumerate(graph.eqns):
        for var in eqn.outvars:
            flow.producer[var] = index
        for var in dict.fromkeys(eqn.invars):
            flow.users[var].append(index)
    return flow


def totals_of(stage: schema.Stage) -> list[int]:
    """Eqns of each graph with all its bodies, a shared body counted wherever it is held."""
    total = [0] * len(stage.graphs)
    for at in innermost_first(stage):
        eqns = stage.graphs[at].eqns
        total[at] = len(eqns) + sum(total[body.graph] for eqn in eqns for body in eqn.bodies)
    return total


def innermost_first(stage: schema.Stage) -> Iterator[int]:
    """All graphs, each behind those that its eqns hold."""
    held = [[b.graph for eqn in graph.eqns for b in eqn.bodies] for graph in stage.graphs]
    entered = [False] * len(held)
    done = [False] * len(held)
    stack = list(reversed(range(len(held))))
    while stack:
        at = stack[-1]
        missing = [body for body in held[at] if not entered[body]]
        entered[at] = True
        if missing:
            stack += missing
            continue
        stack.pop()
        if not done[at]:
            yield at
        done[at] = True


def members_of(graph: schema.Graph, index: int) -> int:
    """How often a repeat repeats: the groups inside it, a section counting as what it holds."""
    members = [0] * len(graph.groups)
    for at in range(len(members) - 1, index, -1):
        group = graph.groups[at]
        if group.parent is not None:
            members[group.parent] += (members[at] or 1) if group.kind == "section" else 1
    return members[index]
