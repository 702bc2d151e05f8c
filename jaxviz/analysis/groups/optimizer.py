"""The optimizer of a training step: what makes the parameters' new values from their gradients.

It is known by what flows: its eqns come after the backward pass, lead to results that stand for
parameters (or for what is kept for them, as Adam's moments are), and read these and the gradients
alone. So metrics and observations are no part of it. A step of physics that pushes positions along
a gradient looks alike, but reads other arrays too, such as velocities: what is not sure is none.
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.name_stacks import OPTIMIZER
from jaxviz.analysis.groups.run_tree import SHORTEST_GROUP, STEP_PART, Run

ADDING_GRADIENTS = frozenset(
    {"add", "add_any", "convert_element_type", "psum", "psum_invariant", "reshape"}
)
"""Ops that add gradients up, and update no parameter."""
UPDATES = frozenset({"update_fn", "apply_updates", "apply_gradients"})
"""How libraries call the functions that update parameters (Optax 0.2, Flax 0.12)."""
LEAST_PART = 1 / 4
"""The part of a stretch of eqns that lead to new parameters, if it is an optimizer."""


def find_optimizer(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, start: int, stop: int
) -> Run | None:
    """The optimizer among the eqns `[start, stop)`, which follow a backward pass."""
    found = leading_to_parameters(graph, facts, start, stop)
    if not found or all(graph.eqns[at].op in ADDING_GRADIENTS for at in found):
        return None
    first, stop = found[0], found[-1] + 1
    if stop - first < SHORTEST_GROUP or len(found) < LEAST_PART * (stop - first):
        return None
    if not (is_librarys(stage, facts, found) or reads_parameters_alone(stage, graph, facts, found)):
        return None
    return Run(first, stop, "scope", OPTIMIZER, STEP_PART, OPTIMIZER)


def leading_to_parameters(
    graph: schema.Graph, facts: GraphFacts, start: int, stop: int
) -> list[int]:
    """The eqns of `[start, stop)` that lead to a result which stands for a parameter and is made
    from what runs backward."""
    wanted = {var for var in graph.outvars if facts.given.get(var) and var in facts.made_backward}
    found: list[int] = []
    for at in range(stop - 1, start - 1, -1):
        eqn = graph.eqns[at]
        if not wanted.isdisjoint(eqn.outvars):
            wanted.update(eqn.invars)
            found.append(at)
    return found[::-1]


def is_librarys(stage: schema.Stage, facts: GraphFacts, found: list[int]) -> bool:
    """Whether a library's optimizer made one of the eqns."""
    frames = {frame for stack in {facts.stacks[at] for at in found} for frame in stack}
    called = [stage.frames[frame] for frame in frames if stage.frames[frame].library]
    return any(
        frame.function.rpartition(".")[2] in UPDATES or "optimizer" in frame.file
        for frame in called
    )


def reads_parameters_alone(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, found: list[int]
) -> bool:
    """Whether the eqns read a parameter, and of the graph's inputs no other array."""
    inputs = {var for var in (*graph.invars, *graph.constvars) if not graph.vars[var].literal}
    read = {var for at in found for var in graph.eqns[at].invars} & inputs
    arrays = {var for var in read if stage.avals[graph.vars[var].aval].shape}
    return bool(arrays) and all(facts.given.get(var) for var in arrays)
