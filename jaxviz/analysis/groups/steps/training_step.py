"""The parts of a training step: forward, backward, recomputed, optimizer, and the loss.

The name stacks mark forward (`jvp`), backward (`transpose`) and recomputed eqns. The optimizer is
found by dataflow: its eqns come after the backward pass, lead to new values of parameters (or of
their moments), and read only these and the gradients. So metrics are not part of it.

A physics step that moves positions along a gradient is no optimizer: it also reads velocities, or
differentiates without data. In doubt there is no optimizer. Several optimizers are distinguished by
the results that they lead to: `result['adam']['w']`, `result['lion']['w']`. The loss follows the
last parameter in the forward pass. Its derivative is the beginning of the backward pass. Both have
the name of the function that they are in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise

from jaxviz import schema
from jaxviz.analysis.groups.facts.call_stacks import is_descriptive, is_transformation, last_parts
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORWARD, LOSS, OPTIMIZER, RECOMPUTE
from jaxviz.analysis.groups.facts.parameters import Path, keys
from jaxviz.analysis.groups.facts.source_lines import name_of_function
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


def key_runs(graph: schema.Graph, facts: GraphFacts, steps: Steps) -> list[Run]:
    """A run for each key of the results, if one stretch of an optimizer leads only to the results
    below that key."""
    optimizers = [run for step in steps for run in step if run.role == OPTIMIZER]
    result_keys = keys_of_results(graph, facts) if optimizers else {}
    found: list[Run] = []
    for run in optimizers if result_keys else ():
        leads = keys_led_to(graph, run, result_keys)
        rows = [(key, [at for at, _ in row]) for key, row in groupby(leads, lambda two: two[1])]
        names = [key for key, _ in rows]
        if len(names) == len(set(names)) and "" not in names:
            found += [Run(row[0], row[-1] + 1, "scope", key) for key, row in rows]
    return found if len(found) > 1 and min(map(len, found)) >= SHORTEST_GROUP else []


def keys_of_results(graph: schema.Graph, facts: GraphFacts) -> dict[int, str]:
    """The results, each with the key above it that distinguishes several new values of one
    parameter; empty if it has no such key."""
    named = list(zip(graph.outvars, graph.results, strict=False))
    alike: dict[Path, set[str]] = defaultdict(set)
    for var, name in named:
        path, full = facts.var_paths.get(var), keys(name)[1]
        for depth, key in enumerate(full[: -len(path)] if path else ()):
            if f"['{key}']" in name:
                alike[(*full[:depth], "", *full[depth + 1 :])].add(key)
    distinct = {key for of_keys in alike.values() if len(of_keys) > 1 for key in of_keys}
    if not distinct:
        return {}
    return {var: next((key for key in keys(name)[1] if key in distinct), "") for var, name in named}


def keys_led_to(
    graph: schema.Graph, run: Run, result_keys: dict[int, str]
) -> list[tuple[int, str]]:
    """The eqns of a run, each with the key of the results that it leads to; empty if it leads to
    several."""
    of_vars = dict(result_keys)
    leads: list[tuple[int, str]] = []
    for at in reversed(range(run.start, run.stop)):
        eqn = graph.eqns[at]
        used = {of_vars[var] for var in eqn.outvars if var in of_vars}
        key = used.pop() if len(used) == 1 else ""
        if used or key or any(var in of_vars for var in eqn.outvars):
            leads.append((at, key))
            for var in eqn.invars:
                of_vars[var] = key if of_vars.get(var, key) == key else ""
    return leads[::-1]


ADDING_GRADIENTS = frozenset(
    {"add", "add_any", "convert_element_type", "psum", "psum_invariant", "reshape"}
)
"""Ops that add gradients. They do not update a parameter."""
UPDATES = frozenset({"apply_updates", "apply_gradients"})
"""Libraries' functions that update parameters (Optax 0.2, Flax 0.12)."""
LEAST_PART = 1 / 4
"""The least share of eqns that lead to new parameters among those of an optimizer."""


def find_optimizer(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, eqns: Sequence[int]
) -> Run | None:
    """The optimizer among some eqns that follow a backward pass and do not update state."""
    found = leading_to_parameters(graph, facts, eqns) or made_by_transformations(facts, eqns)
    if not found or all(graph.eqns[at].op in ADDING_GRADIENTS for at in found):
        return None
    first, stop = found[0], found[-1] + 1
    if stop - first < SHORTEST_GROUP or len(found) < LEAST_PART * (stop - first):
        return None
    if not (is_by_library(facts, found) or reads_only_parameters(stage, graph, facts, found)):
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
    """True if an eqn beside an optimizer counts its steps: it returns an argument plus 1. It is one
    of `among`, or an eqn of the library that all `calls` made, as they did the updates."""
    if not 0 <= at < len(graph.eqns):
        return False
    eqn = graph.eqns[at]
    if at not in among and not (is_by_library(facts, [at]) and calls <= {*facts.stacks[at]}):
        return False
    read = [var for var in eqn.invars if not graph.vars[var].literal]
    added = [graph.vars[var].name for var in eqn.invars if graph.vars[var].literal]
    is_next = eqn.op == "add" and [text.partition(":")[0] for text in added] == ["1"]
    counts = is_next and len(read) == 1 and read[0] in graph.invars
    return counts and eqn.outvars[0] in graph.outvars and not facts.roles[at]


def leading_to_parameters(graph: schema.Graph, facts: GraphFacts, eqns: Sequence[int]) -> list[int]:
    """The eqns that lead to a result that replaces a parameter and depends on the backward pass."""
    wanted = {
        var for var in graph.outvars if facts.var_paths.get(var) and var in facts.made_backward
    }
    found: list[int] = []
    for at in reversed(eqns):
        eqn = graph.eqns[at]
        if not wanted.isdisjoint(eqn.outvars):
            wanted.update(eqn.invars)
            found.append(at)
    return found[::-1]


def is_by_library(facts: GraphFacts, found: list[int]) -> bool:
    """True if a library's optimizer made one of the eqns."""
    frames = {frame for stack in {facts.stacks[at] for at in found} for frame in stack}
    called = [facts.frames[frame] for frame in frames]
    in_optimizers = any(one.library and "optim" in last_parts(one.file) for one in called)  # Keras
    return in_optimizers or any(updates(facts, frame) for frame in frames)


def updates(facts: GraphFacts, frame: int) -> bool:
    """True if a frame calls a library's function that changes gradients, or applies them."""
    called = facts.frames[frame]
    name = called.function.rpartition(".")[2]
    return called.library and (name in UPDATES or is_transformation(called.function, called.file))


def made_by_transformations(facts: GraphFacts, eqns: Sequence[int]) -> list[int]:
    """The eqns that functions of libraries made which change gradients, or apply them."""
    stacks = {facts.stacks[at] for at in eqns}
    is_update = {frame: updates(facts, frame) for frame in {at for stack in stacks for at in stack}}
    made = {stack for stack in stacks if any(is_update[frame] for frame in stack)}
    return [at for at in eqns if facts.stacks[at] in made]


def reads_only_parameters(
    stage: schema.Stage, graph: schema.Graph, facts: GraphFacts, found: list[int]
) -> bool:
    """True if the eqns read a parameter and no other array, apart from gradients and results of the
    forward pass."""
    made = {var for at in found for var in graph.eqns[at].outvars} | facts.made_backward
    made |= {var for eqn in forward_eqns(graph, facts) for var in eqn.outvars}
    read = {var for at in found for var in graph.eqns[at].invars} - made
    avals = {var: stage.avals[graph.vars[var].aval] for var in read if not graph.vars[var].literal}
    arrays = [var for var, aval in avals.items() if aval.shape or aval.dtype.startswith("key")]
    only_parameters = bool(arrays) and all(facts.var_paths.get(var) for var in arrays)
    return only_parameters and bool(facts.trained) and reads_data(graph, facts)


def forward_eqns(graph: schema.Graph, facts: GraphFacts) -> list[schema.Eqn]:
    return [eqn for eqn, role in zip(graph.eqns, facts.roles, strict=True) if role == FORWARD]


def reads_data(graph: schema.Graph, facts: GraphFacts) -> bool:
    """True if the forward pass reads a value that is no parameter, or is in a body."""
    forward = forward_eqns(graph, facts)
    own = {var for eqn in forward for var in eqn.outvars}
    own |= {var for var, path in facts.var_paths.items() if path is not None}
    read = {var for eqn in forward for var in eqn.invars if not graph.vars[var].literal}
    return not forward or not read <= own


MOST_PARTS = 12
"""The most parts of a training step in one graph. A graph with more is no training step."""
LONG_CALL = 8
"""The fewest eqns of a call that is a pass by itself, with those of its body."""
NEARLY_ALL = 3 / 4
"""The share of the loss's eqns from which one call is the loss and keeps its own name."""

Steps = list[list[Run]]
"""The training steps of a graph, each with its parts in order: forward, backward, optimizer."""


def find_steps(
    stage: schema.Stage, index: int, facts: GraphFacts, with_steps: set[int], state: set[int]
) -> Steps:
    """The training steps in a graph. `with_steps` has the graphs that contain whole steps: an
    optimizer can also follow an eqn with such a graph. `state` has the eqns that only update
    state."""
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
        has_steps = any(body.graph in with_steps for body in eqn.bodies) and not roles[at]
        if has_steps and not is_by_library(facts, [at]):
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
    """True if a run is long enough for a pass, or contains a call that is."""
    if len(run) >= SHORTEST_GROUP:
        return True
    return schema.count_eqns(stage.graphs, graph.eqns[run.start : run.stop]) >= LONG_CALL


def paired(passes: list[Run]) -> Steps:
    """Each forward pass with its backward pass; inner passes come first."""
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
    """Start, stop and role of each stretch of eqns with one role. Recomputed eqns count as
    backward."""
    found: list[tuple[int, int, str]] = []
    at = 0
    for role, eqns in groupby(BACKWARD if role == RECOMPUTE else role for role in roles):
        count = sum(1 for _ in eqns)
        if role:
            found.append((at, at + count, role))
        at += count
    return found


def recomputed(graph: schema.Graph, roles: list[str], remats: set[int]) -> list[Run]:
    """The stretches of a graph that recompute values, and the eqns that do so in a body. `remats`
    has the graphs of such bodies, in which the derivative follows."""
    found: list[Run] = []
    derived = RECOMPUTE in roles and FORWARD not in roles
    at = 0
    for role, eqns in groupby(roles):
        count = sum(1 for _ in eqns)
        if count >= SHORTEST_GROUP and (role == RECOMPUTE or (role and derived)):
            name = graph.name if is_descriptive(graph.name or "<") else role
            found.append(Run(at, at + count, "scope", name, RECOMPUTED, role))
        at += count
    if len(found) == 2 and [run.role for run in found] == [RECOMPUTE, BACKWARD]:
        found[1].counterpart = found[0]
    if FORWARD in roles:
        for index, eqn in enumerate(graph.eqns):
            if any(body.graph in remats for body in eqn.bodies):
                name = eqn.name or eqn.op
                found.append(Run(index, index + 1, "call", name, RECOMPUTED, RECOMPUTE))
    return found


def cut_at_steps(run: Run, steps: Steps) -> list[Run]:
    """`run` in pieces. Each piece contains all parts of a training step, or is within one part, or
    in none."""
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
    """The graphs that contain forward and backward passes, directly or in a body."""
    found: set[int] = set()
    for index in reversed(outside_in(stage.graphs)):
        bodies = {body.graph for eqn in stage.graphs[index].eqns for body in eqn.bodies}
        if {FORWARD, BACKWARD} <= set(roles[index]) or bodies & found:
            found.add(index)
    return found


def add_losses(
    steps: Steps, graph: schema.Graph, facts: GraphFacts, avals: list[schema.Aval]
) -> None:
    """Makes the loss of each training step a run, and its derivative another. Makes none if one
    call already is nearly all of each, or if the forward pass has
    nothing else to show."""
    end = max((step[1].stop for step in steps if len(step) > 1), default=0)
    applied = eqns_that_apply_parameters(graph, facts, avals, end)
    for forward, backward in (step[:2] for step in steps if len(step) > 1):
        forward_items = items_with(applied, forward)
        backward_items = items_with(applied, backward)
        if not forward_items or not backward_items:
            continue
        last, first = forward_items[-1], backward_items[0]
        ends = end_of_line(last, forward, facts, 1), end_of_line(first, backward, facts, -1)
        is_rest = min(works(forward, backward, *ends, graph)) >= SHORTEST_GROUP
        start, stop = ends if is_rest else (end_of(last), first_eqn(first))
        before = graph.eqns[forward.start : start]
        if not any(run.start < start for run in forward.runs) and not any(e.bodies for e in before):
            continue
        if min(works(forward, backward, start, stop, graph)) < SHORTEST_GROUP:
            continue
        if isinstance(last, Run):
            last.stop = start
        if isinstance(first, Run):
            first.start = stop
        name = name_of_function(start, forward.stop, facts) or LOSS
        loss = Run(start, forward.stop, "call", name, LOSS, LOSS)
        derivative = Run(backward.start, stop, "call", name, LOSS)
        if not (is_one_call(forward, loss) and is_one_call(backward, derivative)):
            for part, run in ((forward, loss), (backward, derivative)):
                enclose(part, [run])
                run.runs = [inner for inner in run.runs if not inner.same(run)]


def end_of_line(item: Item, outer: Run, facts: GraphFacts, direction: int) -> int:
    """The end of an item with the loose eqns after it that its line made, if this is the user's:
    the `tanh` of `x = tanh(x @ w)`. Before it in the backward pass, whose `direction` is -1."""
    at = end_of(item) if direction > 0 else first_eqn(item) - 1
    end = at if direction > 0 else at + 1
    stack = facts.stacks[at - direction]
    if not stack or facts.frames[stack[-1]].library:
        return end
    line = facts.lines[at - direction]
    loose = {one for one in outer.items() if isinstance(one, int)}
    while at in loose and facts.lines[at] == line:
        at += direction
    return at if direction > 0 else at + 1


def works(
    forward: Run, backward: Run, start: int, stop: int, graph: schema.Graph
) -> tuple[int, int]:
    """The work of the loss that begins at `start`, and of its derivative that ends at `stop`."""
    loss = Run(start, forward.stop, "call", "")
    return work_of(loss, graph), work_of(Run(backward.start, stop, "call", ""), graph)


def eqns_that_apply_parameters(
    graph: schema.Graph, facts: GraphFacts, avals: list[schema.Aval], end: int
) -> set[int]:
    """The eqns before `end` that work on parameters and also on other data. An array computed from
    parameters and random numbers counts as parameters. A penalty, which is computed only from
    parameters, is part of the loss and no layer."""
    aval_of = [avals[var.aval] for var in graph.vars]
    data = {var for var in graph.invars if facts.var_paths.get(var) is None} | set(graph.constvars)
    data = {var for var in data if aval_of[var].kind != "key"}
    drawn: set[int] = set()
    found: set[int] = set()
    for at, eqn in enumerate(graph.eqns[:end]):
        if eqn.op.startswith("random_"):
            continue
        has_parameters = facts.paths[at] is not None or not drawn.isdisjoint(eqn.invars)
        if not data.isdisjoint(eqn.invars):
            data.update(eqn.outvars)
            if has_parameters:
                found.add(at)
        elif has_parameters:
            drawn.update(var for var in eqn.outvars if aval_of[var].shape)
    return found


def items_with(eqns: set[int], run: Run) -> list[Item]:
    """The items of a run that contain one of some eqns."""
    return [
        item for item in run.items() if not eqns.isdisjoint(range(first_eqn(item), end_of(item)))
    ]


def work_of(run: Run, graph: schema.Graph) -> int:
    """The number of eqns of a run. An eqn with bodies counts as many as the shortest group."""
    eqns = graph.eqns[run.start : run.stop]
    return sum(SHORTEST_GROUP if eqn.bodies else 1 for eqn in eqns)


def is_one_call(outer: Run, part: Run) -> bool:
    """True if one run of `outer` is nearly all of `part`."""
    inside = [run for run in outer.runs if part.start <= run.start and run.stop <= part.stop]
    return any(len(run) >= NEARLY_ALL * len(part) for run in inside)
