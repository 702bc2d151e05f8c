"""The optimizer of a training step: what makes the parameters' new values from their gradients.

It is known by what flows: its eqns come after the backward pass, lead to results that stand for
parameters (or for what is kept for them, as Adam's moments are), and read these and the gradients
alone. So metrics and observations are no part of it. A step of physics that pushes positions along
a gradient looks alike, but reads velocities too, or no data beside what it differentiates: what
is not sure is none.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz import schema
from jaxviz.analysis.groups.call_stacks import is_transformation, last_parts
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.name_stacks import FORWARD, OPTIMIZER
from jaxviz.analysis.groups.run_tree import SHORTEST_GROUP, STEP_PART, Run

ADDING_GRADIENTS = frozenset(
    {"add", "add_any", "convert_element_type", "psum", "psum_invariant", "reshape"}
)
"""Ops that add gradients up, and update no parameter."""
UPDATES = frozenset({"apply_updates", "apply_gradients"})
"""How libraries call the functions that update parameters (Optax 0.2, Flax 0.12)."""
LEAST_PART = 1 / 4
"""The part of a stretch of eqns that lead to new parameters, if it is an optimizer."""


def find_optimizer(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, eqns: Sequence[int]
) -> Run | None:
    """The optimizer among some eqns, which follow a backward pass and update no state."""
    found = leading_to_parameters(graph, facts, eqns) or of_transformations(facts, eqns)
    if not found or all(graph.eqns[at].op in ADDING_GRADIENTS for at in found):
        return None
    first, stop = found[0], found[-1] + 1
    if stop - first < SHORTEST_GROUP or len(found) < LEAST_PART * (stop - first):
        return None
    if not (is_librarys(facts, found) or reads_parameters_alone(stage, graph, facts, found)):
        return None
    among = {*eqns}
    calls = set.intersection(*(set(facts.stacks[at]) for at in found))
    while is_counter(graph, facts, first - 1, among, calls):
        first -= 1
    while is_counter(graph, facts, stop, among, calls):
        stop += 1
    return Run(first, stop, "scope", OPTIMIZER, STEP_PART, OPTIMIZER)


def is_counter(
    graph: schema.Graph, facts: GraphFacts, at: int, among: set[int], calls: set[int]
) -> bool:
    """Whether an eqn beside an optimizer counts its steps: it returns an argument plus 1. It is one
    of `among`, or its library's, and made in all `calls` that made the updates."""
    if not 0 <= at < len(graph.eqns):
        return False
    eqn = graph.eqns[at]
    if at not in among and not (is_librarys(facts, [at]) and calls <= {*facts.stacks[at]}):
        return False
    read = [var for var in eqn.invars if not graph.vars[var].literal]
    added = [graph.vars[var].name for var in eqn.invars if graph.vars[var].literal]
    is_next = eqn.op == "add" and [text.partition(":")[0] for text in added] == ["1"]
    counts = is_next and len(read) == 1 and read[0] in graph.invars
    return counts and eqn.outvars[0] in graph.outvars and not facts.roles[at]


def leading_to_parameters(graph: schema.Graph, facts: GraphFacts, eqns: Sequence[int]) -> list[int]:
    """Those of some eqns that lead to a result which stands for a parameter and is made from what
    runs backward."""
    wanted = {var for var in graph.outvars if facts.given.get(var) and var in facts.made_backward}
    found: list[int] = []
    for at in reversed(eqns):
        eqn = graph.eqns[at]
        if not wanted.isdisjoint(eqn.outvars):
            wanted.update(eqn.invars)
            found.append(at)
    return found[::-1]


def is_librarys(facts: GraphFacts, found: list[int]) -> bool:
    """Whether a library's optimizer made one of the eqns."""
    frames = {frame for stack in {facts.stacks[at] for at in found} for frame in stack}
    return any(updates(facts, frame) or in_optimizers(facts, frame) for frame in frames)


def in_optimizers(facts: GraphFacts, frame: int) -> bool:
    """Whether a call is of a function in a library's file of optimizers, as those of Keras."""
    return facts.frames[frame].library and "optim" in last_parts(facts.frames[frame].file)


def updates(facts: GraphFacts, frame: int) -> bool:
    """Whether a call is of a library's function that changes gradients, or applies them."""
    called = facts.frames[frame]
    name = called.function.rpartition(".")[2]
    return called.library and (name in UPDATES or is_transformation(called.function, called.file))


def of_transformations(facts: GraphFacts, eqns: Sequence[int]) -> list[int]:
    """Those of some eqns that a library's functions made which change gradients, or apply them."""
    stacks = {facts.stacks[at] for at in eqns}
    known = {frame: updates(facts, frame) for frame in {at for stack in stacks for at in stack}}
    made = {stack for stack in stacks if any(known[frame] for frame in stack)}
    return [at for at in eqns if facts.stacks[at] in made]


def reads_parameters_alone(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, found: list[int]
) -> bool:
    """Whether the eqns read a parameter, and beside gradients no other array; what the forward pass
    made may be one."""
    made = {var for at in found for var in graph.eqns[at].outvars} | facts.made_backward
    made |= {var for eqn in forward_eqns(graph, facts) for var in eqn.outvars}
    read = {var for at in found for var in graph.eqns[at].invars} - made
    avals = {var: stage.avals[graph.vars[var].aval] for var in read if not graph.vars[var].literal}
    arrays = [var for var, aval in avals.items() if aval.shape or aval.dtype.startswith("key")]
    known = bool(arrays) and all(facts.given.get(var) for var in arrays)
    return known and bool(facts.trained) and reads_data(graph, facts)


def forward_eqns(graph: schema.Graph, facts: GraphFacts) -> list[schema.Eqn]:
    return [eqn for eqn, role in zip(graph.eqns, facts.roles, strict=True) if role == FORWARD]


def reads_data(graph: schema.Graph, facts: GraphFacts) -> bool:
    """Whether the forward pass reads what is no parameter, unless it is in a body."""
    forward = forward_eqns(graph, facts)
    own = {var for eqn in forward for var in eqn.outvars}
    own |= {var for var, path in facts.given.items() if path is not None}
    read = {var for eqn in forward for var in eqn.invars if not graph.vars[var].literal}
    return not forward or not read <= own
