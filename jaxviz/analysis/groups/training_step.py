"""The parts of a training step: forward, backward, what is computed again, optimizer, and the loss.

Forward and backward are known by the name stacks, on which `jvp` and `transpose` leave their mark.
`optimizer` finds what follows the backward pass. The loss is what follows the last parameter in the
forward pass; its derivative comes first in the backward pass.
"""

from __future__ import annotations

from itertools import groupby, pairwise

from jaxviz import schema
from jaxviz.analysis.groups.call_stacks import GENERIC_NAMES
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.name_stacks import BACKWARD, FORWARD, RECOMPUTE
from jaxviz.analysis.groups.optimizer import find_optimizer, is_librarys
from jaxviz.analysis.groups.run_tree import (
    RECOMPUTED,
    SHORTEST_GROUP,
    STEP_PART,
    Item,
    Run,
    enclose,
    end_of,
    first_eqn,
)
from jaxviz.schema.graph import outside_in

MOST_PARTS = 12
"""Parts of one graph beyond which they are not shown: so many are no training step."""
LONG_CALL = 8
"""Eqns from which one call with its body is a pass."""
LOSS = "loss"
NEARLY_ALL = 3 / 4
"""The part of the loss's eqns beyond which one call is the loss, and has its own name."""

Steps = list[list[Run]]
"""The training steps of a graph, each with its parts in order: forward, backward, optimizer."""


def find_steps(
    stage: schema.Stage, index: int, facts: GraphFacts, with_steps: set[int], state: set[int]
) -> Steps:
    """The training steps in the graph with that index.

    `with_steps` are the graphs that hold whole steps themselves: an optimizer can follow an eqn
    that holds one, too. `state` are the eqns that update state alone."""
    graph, roles = stage.graphs[index], facts.roles
    passes = [
        Run(start, stop, "scope", role, STEP_PART, role) for start, stop, role in stretches(roles)
    ]
    if len(passes) > MOST_PARTS:
        return []
    pairs = paired(passes)
    steps = [step for step in pairs if all(is_pass(run, stage, graph) for run in step)]
    ends = {step[-1].stop: step if step in steps else [] for step in pairs}
    for at, eqn in enumerate(graph.eqns):
        holds_steps = any(body.graph in with_steps for body in eqn.bodies) and not roles[at]
        if holds_steps and not is_librarys(facts, [at]):
            ends[at + 1] = []
    starts = sorted([step[0].start for step in pairs] + [len(graph.eqns)])
    for end, step in sorted(ends.items()):
        stop = next(start for start in starts if start >= end)
        if next((other for other in sorted(ends) if other > end), stop) < stop:
            continue
        eqns = [at for at in range(end, stop) if at not in state]
        optimizer = find_optimizer(stage, graph, facts, eqns)
        if optimizer:
            step.append(optimizer)
            if len(step) == 1:
                steps.append(step)
    return steps


def is_pass(run: Run, stage: schema.Stage, graph: schema.Graph) -> bool:
    """Whether a run is long enough for a pass, or holds a call that is."""
    if len(run) >= SHORTEST_GROUP:
        return True
    return schema.eqns_held(stage.graphs, graph.eqns[run.start : run.stop]) >= LONG_CALL


def paired(passes: list[Run]) -> Steps:
    """Each forward pass with its backward pass: of passes within one another, the inner ones
    first."""
    steps: Steps = []
    waiting: Steps = []
    for run in passes:
        if run.role == FORWARD:
            steps.append([run])
            waiting.append(steps[-1])
        elif waiting:
            waiting.pop().append(run)
    return [step for step in steps if len(step) == 2]


def stretches(roles: list[str]) -> list[tuple[int, int, str]]:
    """Start, stop and role of each stretch of eqns with one role. What is computed again counts as
    running backward."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for role, held in groupby(BACKWARD if role == RECOMPUTE else role for role in roles):
        count = sum(1 for _ in held)
        if role:
            found.append((at, at + count, role))
        at += count
    return found


def recomputed(graph: schema.Graph, roles: list[str], remats: set[int]) -> list[Run]:
    """The stretches of a graph that compute values again, and the eqns that do so in a body.

    `remats` are the graphs of such bodies. In these, what follows is the derivative."""
    found: list[Run] = []
    derived = RECOMPUTE in roles and FORWARD not in roles
    at = 0
    for role, held in groupby(roles):
        count = sum(1 for _ in held)
        if count >= SHORTEST_GROUP and (role == RECOMPUTE or (role and derived)):
            name = role if graph.name in GENERIC_NAMES else graph.name or role
            found.append(Run(at, at + count, "scope", name, RECOMPUTED, role))
        at += count
    if len(found) == 2 and [run.role for run in found] == [RECOMPUTE, BACKWARD]:
        found[1].twin = found[0]
    if FORWARD in roles:
        for index, eqn in enumerate(graph.eqns):
            if any(body.graph in remats for body in eqn.bodies):
                name = eqn.name or eqn.op
                found.append(Run(index, index + 1, "call", name, RECOMPUTED, RECOMPUTE))
    return found


def cut_at_steps(run: Run, steps: Steps) -> list[Run]:
    """`run` in pieces of which each holds all parts of a training step, lies in one part, or in
    none."""
    borders: set[int] = set()
    for step in steps:
        inside = [part for part in step if run.start <= part.start and part.stop <= run.stop]
        touched = [part for part in step if part.start < run.stop and run.start < part.stop]
        within = any(part.start <= run.start and run.stop <= part.stop for part in step)
        if touched and not within and len(inside) < len(step):
            borders.update(at for part in touched for at in (part.start, part.stop))
    cuts = [run.start, *sorted(at for at in borders if run.start < at < run.stop), run.stop]
    if len(cuts) == 2:
        return [run]
    return [Run(a, b, run.kind, run.name, run.key) for a, b in pairwise(cuts)]


def graphs_with_steps(stage: schema.Stage, roles: list[list[str]]) -> set[int]:
    """The graphs that hold both directions of a training step, in themselves or in a body."""
    found: set[int] = set()
    for index in reversed(outside_in(stage.graphs)):
        bodies = {body.graph for eqn in stage.graphs[index].eqns for body in eqn.bodies}
        if {FORWARD, BACKWARD} <= set(roles[index]) or bodies & found:
            found.add(index)
    return found


def add_losses(
    steps: Steps, graph: schema.Graph, facts: GraphFacts, avals: list[schema.Aval]
) -> None:
    """Makes the loss of each training step a run, and its derivative another, unless one call is
    nearly all of it: that has a name of its own."""
    end = max((step[1].stop for step in steps if len(step) > 1), default=0)
    applied = eqns_that_apply_parameters(graph, facts, avals, end)
    for forward, backward in (step[:2] for step in steps if len(step) > 1):
        forward_items = items_with(applied, forward)
        backward_items = items_with(applied, backward)
        if not forward_items or not backward_items:
            continue
        loss = Run(end_of(forward_items[-1]), forward.stop, "call", LOSS, LOSS)
        derivative = Run(backward.start, first_eqn(backward_items[0]), "call", LOSS, LOSS)
        if min(work_of(loss, graph), work_of(derivative, graph)) < SHORTEST_GROUP:
            continue
        if not (is_one_call(forward, loss) and is_one_call(backward, derivative)):
            for part, run in ((forward, loss), (backward, derivative)):
                enclose(part, [run])
                run.runs = [inner for inner in run.runs if not inner.same(run)]


def eqns_that_apply_parameters(
    graph: schema.Graph, facts: GraphFacts, avals: list[schema.Aval], end: int
) -> set[int]:
    """The eqns before `end` that work on parameters, or on an array made from parameters and random
    numbers alone, and depend on what is none. So a penalty, which is computed from parameters
    alone, is no layer but part of the loss, and weights that are drawn make one."""
    aval_of = [avals[var.aval] for var in graph.vars]
    data = {var for var in graph.invars if facts.given.get(var) is None} | set(graph.constvars)
    data = {var for var in data if aval_of[var].kind != "key"}
    drawn: set[int] = set()
    found: set[int] = set()
    for at, eqn in enumerate(graph.eqns[:end]):
        if eqn.op.startswith("random_"):
            continue
        known = facts.paths[at] is not None or not drawn.isdisjoint(eqn.invars)
        if not data.isdisjoint(eqn.invars):
            data.update(eqn.outvars)
            if known:
                found.add(at)
        elif known:
            drawn.update(var for var in eqn.outvars if aval_of[var].shape)
    return found


def items_with(eqns: set[int], run: Run) -> list[Item]:
    """The items of a run that hold one of some eqns."""
    return [
        item for item in run.items() if not eqns.isdisjoint(range(first_eqn(item), end_of(item)))
    ]


def work_of(run: Run, graph: schema.Graph) -> int:
    """How many eqns a run holds, where one with bodies counts as long enough for a group."""
    eqns = graph.eqns[run.start : run.stop]
    return sum(SHORTEST_GROUP if eqn.bodies else 1 for eqn in eqns)


def is_one_call(outer: Run, part: Run) -> bool:
    """Whether one run of `outer` is nearly all of `part`."""
    inside = [run for run in outer.runs if part.start <= run.start and run.stop <= part.stop]
    return any(len(run) >= NEARLY_ALL * len(part) for run in inside)
