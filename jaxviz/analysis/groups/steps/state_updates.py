"""The eqns of a training step that update state: running means, counters, metrics, averages of
parameters.

State is an argument for which the program returns a new value. It is neither differentiated nor
computed from a gradient, unless it is computed from the parameters' new values. Its update is the
eqns that lead to it and to nothing else.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import METRICS
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, OPTIMIZER
from jaxviz.analysis.groups.facts.parameters import keys, pair_results
from jaxviz.analysis.groups.run_tree import SHORTEST_GROUP, Run, enclose, preorder
from jaxviz.schema.graph import outside_in

STATE = "state"


class Updates(NamedTuple):
    """The eqns of a graph that lead only to new state, and those of them that read the old
    state."""

    eqns: set[int]
    readers: set[int]


def updates_of_state(stage: schema.Stage, facts: list[GraphFacts]) -> list[Updates]:
    """The updates of each graph, including bodies."""
    found = [Updates(set(), set()) for _ in stage.graphs]
    if not facts[0].trained:
        return found
    root = stage.graphs[0]
    trained = [set[int]() for _ in stage.graphs]
    trained[0] = {root.outvars[result] for result in facts[0].trained.values()}
    pairs = replaced_arguments(root, facts[0])
    old = [set[int]() for _ in stage.graphs]
    new = [set[int]() for _ in stage.graphs]
    old[0] = {root.invars[arg] for arg in pairs}
    new[0] = {root.outvars[result] for result in pairs.values()}
    for index in outside_in(stage.graphs):
        if not new[index]:
            continue
        graph = stage.graphs[index]
        made = facts[index].made_backward - made_from(trained[index], graph)
        eqns, values = eqns_leading_only_to(graph, new[index] - made)
        readers = {at for at in eqns if not old[index].isdisjoint(graph.eqns[at].invars)}
        found[index] = Updates(eqns, readers)
        for eqn in graph.eqns:
            for body in eqn.bodies:
                inner = stage.graphs[body.graph]
                inputs = zip(inner.invars, body.inputs, strict=True)
                outputs = zip(inner.outvars, body.outputs, strict=True)
                old[body.graph] |= {
                    v for v, at in inputs if at >= 0 and eqn.invars[at] in old[index]
                }
                results = {v: eqn.outvars[at] for v, at in outputs if at >= 0}
                new[body.graph] |= {v for v, var in results.items() if var in values}
                trained[body.graph] |= {v for v, var in results.items() if var in trained[index]}
    return found


def made_from(values: set[int], graph: schema.Graph) -> set[int]:
    """The values that the eqns of a graph compute from some values."""
    made = set(values)
    for eqn in graph.eqns if values else ():
        if not made.isdisjoint(eqn.invars):
            made.update(eqn.outvars)
    return made - values


def replaced_arguments(root: schema.Graph, facts: GraphFacts) -> dict[int, int]:
    """The arguments for which the program returns a new value, with these results. Differentiated
    arguments are not among them."""
    args = [at for at in range(len(root.args)) if at not in facts.trained]
    excluded = {
        *facts.trained.values(),
        *(at for at, v in enumerate(root.outvars) if root.vars[v].literal),
    }
    results = [at for at in range(len(root.outvars)) if at not in excluded]
    pairs = pair_results(
        [(*keys(root.args[at]), root.vars[root.invars[at]].aval) for at in args],
        [(*keys(root.results[at]), root.vars[root.outvars[at]].aval) for at in results],
    )
    return {args[arg]: results[result] for arg, result in pairs.items()}


def eqns_leading_only_to(graph: schema.Graph, state: set[int]) -> tuple[set[int], set[int]]:
    """The eqns and values that lead only to some results of a graph."""
    others = set(graph.outvars) - state
    eqns: set[int] = set()
    values: set[int] = set()
    for at in reversed(range(len(graph.eqns))):
        eqn = graph.eqns[at]
        used = [var for var in eqn.outvars if var in others or var in state]
        if others.isdisjoint(used):
            if used:
                eqns.add(at)
                state = state | set(eqn.invars)
        else:
            others.update(eqn.invars)
        values.update(var for var in used if var not in others)
    return eqns, values


def add_updates(root: Run, updates: Updates) -> None:
    """Sets the role of runs that update state, and adds a run for each stretch of such eqns in
    another run, in place."""
    for run in preorder(root) if updates.readers else ():
        if run.role in (BACKWARD, OPTIMIZER, STATE, METRICS):
            continue
        for inner in run.runs:
            eqns = range(inner.start, inner.stop)
            if updates.eqns.issuperset(eqns) and not updates.readers.isdisjoint(eqns):
                set_role(inner, STATE)
            if inner.name == METRICS:
                set_role(inner, METRICS)
        loose = [item for item in run.items() if isinstance(item, int) and item in updates.eqns]
        rows = groupby(enumerate(loose), lambda pair: pair[1] - pair[0])
        stretches = [[at for _, at in row] for _, row in rows]
        enclose(
            run,
            [
                Run(row[0], row[-1] + 1, "call", STATE, STATE, STATE)
                for row in stretches
                if len(row) >= SHORTEST_GROUP and not updates.readers.isdisjoint(row)
            ],
        )


def set_role(run: Run, role: str) -> None:
    for inner in preorder(run):
        inner.role = role
