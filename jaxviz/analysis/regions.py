"""The parts of a training step: forward, backward, what is computed again, optimizer.

Forward and backward are told by the name stacks, on which `jvp` and `transpose` leave their
mark. The optimizer is what follows the backward pass and works on the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from jaxviz import schema
from jaxviz.analysis.scopes import BACKWARD, FORWARD, RECOMPUTE, Scope
from jaxviz.analysis.tree import REGION, Run
from jaxviz.schema.order import outside_in

OPTIMIZER = "optimizer"
AGAIN = "again"
"""The key of a run that computes values again."""
LEAST = 3
"""Eqns of the shortest part."""
MANY = 12
"""Parts of one graph beyond which they tell no story."""
SUMS = frozenset({"add", "add_any", "convert_element_type", "psum", "psum_invariant", "reshape"})
"""What adds gradients up, and updates nothing."""


def roles_of(stage: schema.Stage, parsed: list[Scope]) -> list[list[str]]:
    """For each eqn of each graph its role; a body that says nothing has that of the eqns that
    hold it. Where nothing runs backward, none has one."""
    roles = [[parsed[eqn.scope].role for eqn in graph.eqns] for graph in stage.graphs]
    if not any(BACKWARD in of or RECOMPUTE in of for of in roles):
        return [[""] * len(of) for of in roles]
    roles = [fill(of) for of in roles]
    around: list[set[str]] = [set() for _ in stage.graphs]
    for index in outside_in(stage.graphs):
        if len(around[index]) == 1 and not any(roles[index]):
            roles[index] = list(around[index]) * len(roles[index])
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            for body in eqn.bodies:
                around[body.graph].add(role)
    return roles


def fill(roles: list[str]) -> list[str]:
    """Eqns that say nothing have the role of those on both sides; beside values that are
    computed again, all that says nothing runs backward. Where most say nothing (JAX 0.6 marks
    only what the user named), the parts are not clear, and none has a role."""
    if RECOMPUTE in roles and FORWARD not in roles:
        return [role or BACKWARD for role in roles]
    filled = list(roles)
    before, start = "", 0
    for index, role in enumerate(roles):
        if not role:
            continue
        if role == before or (role == RECOMPUTE and before == BACKWARD):
            filled[start:index] = [before] * (index - start)
        before, start = BACKWARD if role == RECOMPUTE else role, index + 1
    said = sum(map(bool, roles))
    return filled if sum(map(bool, filled)) <= 2 * said else [""] * len(roles)


def split(
    graph: schema.Graph, roles: list[str], paths: Sequence[object], steps: set[int]
) -> list[list[Run]]:
    """The parts of each training step in a graph, in order. `steps` are the graphs that hold
    whole steps in themselves, after whose eqns an optimizer can follow too."""
    found = [
        Run(start, stop, "scope", role, REGION, role) for start, stop, role in stretches(roles)
    ]
    if len(found) > MANY:
        return []
    groups: list[list[Run]] = []
    waiting: list[list[Run]] = []
    for run in found:
        if run.role == FORWARD:
            groups.append([run])
            waiting.append(groups[-1])
        elif waiting:
            waiting.pop().append(run)
    pairs = [group for group in groups if len(group) == 2]
    groups = [group for group in pairs if min(map(len, group)) >= LEAST]
    ends = {group[-1].stop: group if group in groups else [] for group in pairs}
    for index, eqn in enumerate(graph.eqns):
        if any(body.graph in steps for body in eqn.bodies) and not roles[index]:
            ends[index + 1] = []
    starts = sorted([group[0].start for group in pairs] + [len(graph.eqns)])
    for end, group in sorted(ends.items()):
        stop = next(start for start in starts if start >= end)
        if next((other for other in sorted(ends) if other > end), stop) < stop:
            continue
        optimizer = updates(graph, paths, end, stop)
        if optimizer:
            group.append(optimizer)
            if len(group) == 1:
                groups.append(group)
    return groups


def updates(graph: schema.Graph, paths: Sequence[object], start: int, stop: int) -> Run | None:
    """The optimizer among `[start, stop)`: up to the last eqn that works on a parameter."""
    known = [index for index in range(start, stop) if paths[index] is not None]
    if not known or all(graph.eqns[index].op in SUMS for index in known):
        return None
    stop = known[-1] + 1
    if stop - start < LEAST or 4 * len(known) < stop - start:
        return None
    return Run(start, stop, "scope", OPTIMIZER, REGION, OPTIMIZER)


def stretches(roles: list[str]) -> list[tuple[int, int, str]]:
    """Start, stop and role of each stretch of a role; what is computed again is part of what
    runs backward."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for role, held in groupby(BACKWARD if role == RECOMPUTE else role for role in roles):
        count = sum(1 for _ in held)
        if role:
            found.append((at, at + count, role))
        at += count
    return found


def again(graph: schema.Graph, roles: list[str], remats: set[int]) -> list[Run]:
    """The stretches that compute values again, and the eqns that do so in a body. `remats` are
    the graphs of such bodies: in these what follows is the derivative."""
    found: list[Run] = []
    derived = RECOMPUTE in roles and FORWARD not in roles
    at = 0
    for role, held in groupby(roles):
        count = sum(1 for _ in held)
        if count >= LEAST and (role == RECOMPUTE or (role and derived)):
            found.append(Run(at, at + count, "scope", graph.name or role, AGAIN, role))
        at += count
    if len(found) == 2 and [run.role for run in found] == [RECOMPUTE, BACKWARD]:
        found[1].twin = found[0]
    if FORWARD in roles:
        for index, eqn in enumerate(graph.eqns):
            if any(body.graph in remats for body in eqn.bodies):
                name = eqn.name or eqn.op
                found.append(Run(index, index + 1, "call", name, AGAIN, RECOMPUTE))
    return found


def apart(run: Run, groups: list[list[Run]]) -> list[Run]:
    """`run` cut so that it holds all parts of a training step, is in one of them, or is in
    none."""
    borders: set[int] = set()
    for group in groups:
        inside = [part for part in group if run.start <= part.start and part.stop <= run.stop]
        touched = [part for part in group if part.start < run.stop and run.start < part.stop]
        within = any(part.start <= run.start and run.stop <= part.stop for part in group)
        if touched and not within and len(inside) < len(group):
            borders.update(at for part in touched for at in (part.start, part.stop))
    cuts = [run.start, *sorted(at for at in borders if run.start < at < run.stop), run.stop]
    if len(cuts) == 2:
        return [run]
    return [Run(a, b, run.kind, run.name, run.key) for a, b in pairwise(cuts)]


def holds_step(stage: schema.Stage, roles: list[list[str]]) -> set[int]:
    """The graphs that hold both directions of a training step, in themselves or in a body."""
    found: set[int] = set()
    for index in reversed(outside_in(stage.graphs)):
        bodies = {body.graph for eqn in stage.graphs[index].eqns for body in eqn.bodies}
        if {FORWARD, BACKWARD} <= set(roles[index]) or bodies & found:
            found.add(index)
    return found
