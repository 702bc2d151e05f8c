"""Groups: contiguous, nested runs of a graph's eqns, which make a long program readable.

`with_groups` finds the groups of a jaxpr in this order:

1. `steps/called_passes` gives public names to private functions of JAX, and inlines passes of
   `jax.grad` that are calls of a jitted function.
2. `facts/` finds the call stack, name scopes and parameters of each eqn.
3. `steps/training_step` finds the parts of a training step: forward, backward, optimizer, loss.
   `steps/state_updates` finds the eqns that only update state, such as running means.
4. `run_sources` makes a run of each name scope, each call, each rule of a custom derivative, and
   each eqn that is a layer. `run_tree` nests these runs.
5. `loops/python_loops` separates the iterations of Python loops, `long_runs` the source lines.
6. `pruning` removes the runs that add nothing to the run around them.
7. `steps/backward_counterparts` pairs backward runs with forward runs. `group_names` names all.
8. `loops/siblings` marks the layer that differs from its siblings. `loops/repeats` and
   `loops/python_loops` join long rows of equal runs.
9. `long_runs` cuts what is still too long where the fewest values cross.
10. `name_sources` finds the source of each name.
11. `loops/unrolled` finds the Python loop that a row of equal runs comes from.

StableHLO and HLO take the groups of the jaxpr, by the origin of each instruction: `later_stages`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups import (
    group_names,
    later_stages,
    long_runs,
    name_sources,
    pruning,
    run_sources,
)
from jaxviz.analysis.groups.facts.call_stacks import without_recursion
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, gather
from jaxviz.analysis.groups.facts.name_stacks import RECOMPUTE
from jaxviz.analysis.groups.loops import python_loops, repeats, unrolled
from jaxviz.analysis.groups.loops.repeats import RunNumbers
from jaxviz.analysis.groups.run_tree import (
    SHORTEST_GROUP,
    Run,
    as_records,
    enclose,
    nest,
    preorder,
)
from jaxviz.analysis.groups.steps import (
    backward_counterparts,
    called_passes,
    state_updates,
    training_step,
)
from jaxviz.safety.guard import guarded

__all__ = ["with_groups"]


def with_groups(
    stage: schema.Stage, jaxpr: schema.Stage | None = None, listings: Sequence[schema.Listing] = ()
) -> schema.Stage:
    """Returns the stage with the groups of each graph.

    For the jaxpr itself, `jaxpr` is None, and `listings` are the lines that made it. A later stage
    takes the groups of its `jaxpr`. The eqns of optimized HLO are put into the order of the groups.
    """
    if not stage.graphs:
        return stage
    if jaxpr is not None:
        return later_stages.with_groups_of_jaxpr(stage, jaxpr)
    lines = unrolled.Lines(listings)
    whole = called_passes.with_public_names(stage, lines)
    lines.flattened = without_recursion(whole)
    flat = lines.flattened.stage
    inlining = called_passes.inline_passes(flat)
    stage = inlining.stage
    facts = gather(stage, lines)
    roles = [of_graph.roles for of_graph in facts]
    with_steps = training_step.graphs_with_steps(stage, roles)
    remats = {index for index, of in enumerate(roles) if RECOMPUTE in of}
    run_numbers = RunNumbers(stage)
    updates = state_updates.updates_of_state(stage, facts)
    found = [
        groups(stage, index, facts[index], with_steps, remats, run_numbers, updates[index], lines)
        for index in range(len(stage.graphs))
    ]
    called_passes.restore_groups(inlining, flat, found)
    graphs = [replace(graph, groups=own) for graph, own in zip(flat.graphs, found, strict=True)]
    looped = unrolled.with_loops(replace(flat, graphs=graphs), lines).graphs
    return replace(
        whole,
        graphs=[
            replace(graph, groups=one.groups)
            for graph, one in zip(whole.graphs, looped, strict=True)
        ],
    )


def groups(
    stage: schema.Stage,
    index: int,
    facts: GraphFacts,
    with_steps: set[int],
    remats: set[int],
    run_numbers: RunNumbers,
    updates: state_updates.Updates,
    lines: unrolled.Lines,
) -> list[schema.Group]:
    """The groups of one graph, parents first, in the order of the eqns. `with_steps` has the graphs
    that contain whole training steps, `remats` those that recompute values."""
    graph = stage.graphs[index]
    if len(graph.eqns) <= SHORTEST_GROUP:
        return []
    root = Run(0, len(graph.eqns), "call", "")
    steps = training_step.find_steps(stage, index, facts, with_steps, updates.eqns)
    recomputed = training_step.recomputed(graph, facts.roles, remats)
    found = [
        *run_sources.scope_runs(facts),
        *run_sources.runs_of_calls(facts),
        *run_sources.call_runs(facts),
        *run_sources.rule_runs(facts),
    ]
    found += training_step.key_runs(graph, facts, steps)
    found = [piece for run in found for piece in training_step.cut_at_steps(run, steps)]
    nest(root, [*chain.from_iterable(steps), *recomputed, *found])
    pruning.merge_equal(root, facts)
    split_loops(root, facts)
    run_sources.add_layers_of_one_eqn(root, stage, graph, facts)
    pruning.dissolve(root, steps, facts)
    pruning.drop_short(root, facts)
    training_step.add_losses(steps, graph, facts, stage.avals)
    set_roles(root, facts, inside=not steps)
    state_updates.add_updates(root, updates)
    paths = facts.shared_paths(root)
    backward_counterparts.pair(steps, paths, facts)
    group_names.name_groups(root, facts, paths)
    pruning.drop_repeated_names(root)
    repeats.gather_repeats(root, run_numbers, index)
    python_loops.gather_short_loops(root, run_numbers, stage, index, facts, lines)
    long_runs.add_all_sections(root, facts, is_program=index == 0)
    runs = preorder(root)[1:]
    guarded(None, name_sources.add_sources, runs, facts)
    return as_records(runs, run_numbers.of(index, [(run.start, run.stop) for run in runs]))


def split_loops(root: Run, facts: GraphFacts) -> None:
    """Splits every run into the iterations of its loop, or a long run without a loop into its
    lines. A line that occurs more than once may be in a loop."""
    todo = [root]
    while todo:
        run = todo.pop()
        parts = python_loops.by_parameters(run, facts)
        if not parts:
            lines = long_runs.split_by_lines(run, facts)
            is_loop = len({line.key for line in lines}) < len(lines)
            iterations = python_loops.by_repetition(run, facts) if is_loop or not lines else []
            parts = iterations or lines
        enclose(run, [part for part in parts if len(part) > 1 and not part.same(run)])
        todo += run.runs


def set_roles(root: Run, facts: GraphFacts, inside: bool) -> None:
    """Sets the role of every run: its own, or that of the run around it, or (`inside` a body) that
    of its first eqn."""
    for run in preorder(root):
        for inner in run.runs:
            inner.role = inner.role or run.role or (facts.roles[inner.start] if inside else "")
