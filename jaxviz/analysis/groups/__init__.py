"""Groups: contiguous runs of a graph's eqns, nested, that make a long program readable.

The groups of a jaxpr are found in this order:

1. `public_names` names JAX's private functions. `called_passes` inlines what `jax.grad` of a jitted
   function calls, for the time being.
   `known_parameters` finds what is trained, by what is `differentiated`, and `parameter_paths`
   which parameters each eqn works on. `training_step` finds the parts of a step, by `name_stacks`
   and, for its `optimizer`, by what flows into the parameters' new values; `result_keys` the parts
   of that, where it is several.
2. Runs of one name scope and of one call (`call_stacks`) are nested into them by `run_tree`.
3. `python_loops` tells the turns of Python loops apart, `long_runs` the lines of a long run, and
   `layers_with_bodies` makes runs of layers that are one eqn.
4. `pruning` takes out what tells nothing, `twins` pairs each run with its derivative,
   `group_names` names all, `repeats` makes one run of a long row of equal ones, `short_turns` of a
   loop's turns of an eqn or two. `state_updates` says what of a step replaces running means and
   the like.
5. What is still long is cut by `long_runs` where the fewest values cross; `section_names`,
   `source_lines` and `work_names` call the pieces by what they hold, or do. `unrolled` says
   which Python loop a row is of.

The groups of StableHLO and HLO are those of the jaxpr, by what each eqn was made for:
`later_stages`, with `instruction_order`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups import (
    called_passes,
    group_names,
    later_stages,
    layers_with_bodies,
    library_calls,
    long_runs,
    pruning,
    public_names,
    python_loops,
    repeats,
    result_keys,
    short_turns,
    source_lines,
    state_updates,
    training_step,
    twins,
    unrolled,
)
from jaxviz.analysis.groups.call_stacks import borders_of_calls, calls, library_title, title
from jaxviz.analysis.groups.graph_facts import GraphFacts, gather
from jaxviz.analysis.groups.name_stacks import RECOMPUTE, Names
from jaxviz.analysis.groups.repeats import Likeness
from jaxviz.analysis.groups.run_tree import (
    SHORTEST_GROUP,
    Run,
    as_records,
    enclose,
    equal_neighbours,
    nest,
    preorder,
)

__all__ = ["grouped"]


def grouped(
    stage: schema.Stage, jaxpr: schema.Stage | None = None, listings: Sequence[schema.Listing] = ()
) -> schema.Stage:
    """The stage with the groups of each graph.

    `jaxpr` is None where the stage is the jaxpr itself, which was made from the lines of
    `listings`; a later stage takes the groups of its `jaxpr`, and in optimized HLO its eqns are put
    into their order."""
    if not stage.graphs:
        return stage
    if jaxpr is not None:
        return later_stages.grouped(stage, jaxpr)
    lines = unrolled.Lines(listings)
    whole = public_names.with_public_names(stage, lines)
    opened = called_passes.opened(whole)
    stage = opened.stage
    facts = gather(stage, lines)
    roles = [of_graph.roles for of_graph in facts]
    with_steps = training_step.graphs_with_steps(stage, roles)
    remats = {index for index, of in enumerate(roles) if RECOMPUTE in of}
    likeness = Likeness(stage)
    updates = state_updates.updates_of_state(stage, facts)
    found = [
        groups(stage, index, facts[index], with_steps, remats, likeness, updates[index], lines)
        for index in range(len(stage.graphs))
    ]
    called_passes.put_back(opened, whole, found)
    graphs = [replace(graph, groups=own) for graph, own in zip(whole.graphs, found, strict=True)]
    return unrolled.with_loops(replace(whole, graphs=graphs), lines)


def groups(
    stage: schema.Stage,
    index: int,
    facts: GraphFacts,
    with_steps: set[int],
    remats: set[int],
    likeness: Likeness,
    updates: state_updates.Updates,
    lines: unrolled.Lines,
) -> list[schema.Group]:
    """The groups of one graph, parents first, in the order of the eqns.

    `with_steps` are the graphs that hold whole training steps, `remats` those that compute values
    again."""
    graph = stage.graphs[index]
    if len(graph.eqns) <= SHORTEST_GROUP:
        return []
    root = Run(0, len(graph.eqns), "call", "")
    steps = training_step.find_steps(stage, index, facts, with_steps, updates.eqns)
    again = training_step.recomputed(graph, facts.roles, remats)
    found = [*scope_runs(facts), *library_calls.runs_of_calls(facts), *call_runs(facts)]
    found += result_keys.key_runs(graph, facts, steps)
    found = [piece for run in found for piece in training_step.cut_at_steps(run, steps)]
    nest(root, [*chain.from_iterable(steps), *again, *found])
    pruning.merge_equal(root, facts)
    split_loops(root, facts)
    layers_with_bodies.add(root, stage, graph, facts)
    pruning.dissolve(root, steps, facts)
    pruning.drop_short(root, facts)
    training_step.add_losses(steps, graph, facts, stage.avals)
    give_roles(root, facts, inside=not steps)
    state_updates.add_updates(root, updates)
    paths = facts.shared_paths(root)
    twins.pair(steps, paths, facts)
    group_names.give(root, facts, paths)
    pruning.drop_echoes(root)
    repeats.gather_rows(root, likeness, index)
    short_turns.gather_rows(root, likeness, stage, index, facts, lines)
    long_runs.add_all_sections(root, facts, is_program=index == 0)
    runs = preorder(root)[1:]
    return as_records(runs, likeness.of(index, [(run.start, run.stop) for run in runs]))


def scope_runs(facts: GraphFacts) -> Iterator[Run]:
    """Runs of one name scope. Where a library's method names the scope, each call of it is one."""
    frames, stacks = facts.frames, facts.scopes
    for start, stop, depth in equal_neighbours(stacks):
        name, key = stacks[start][depth], stacks[start][: depth + 1]
        cuts = borders_of_calls(frames, facts.stacks[start:stop], name)
        for a, b in pairwise([start, *(start + cut for cut in cuts), stop]):
            yield Run(a, b, "scope", name, key)


def call_runs(facts: GraphFacts) -> Iterator[Run]:
    """Runs of one call. Of a library's calls, those whose function says what it does."""
    frames = facts.frames
    paths = {stack: calls(frames, stack) for stack in set(facts.stacks)}
    stacks = [paths[stack] for stack in facts.stacks]
    for start, stop, depth in equal_neighbours(stacks):
        call = stacks[start][depth]
        site, function, _, library = call
        name = title(function)
        if library:
            places = dict.fromkeys(stack[depth] for stack in facts.stacks[start:stop])
            name = next(filter(None, (library_title(frames[at]) for at in places)), "")
            if not name or crosses_scopes(facts.scopes[start:stop]):
                continue
        is_nameless = function.endswith(">")  # `<lambda>`, `<listcomp>`
        if site is not None and is_nameless and not frames[site].library:
            name = source_lines.assigned_name(frames[site].code) or name
        if name:
            yield Run(start, stop, "call", name, call)


def crosses_scopes(scopes: Sequence[Names]) -> bool:
    """Whether eqns are of several scopes, with none around them all: these say more than a
    library's function that runs them one after another."""
    first = {names[:1] for names in scopes}
    return len(first) > 1 and () not in first


def split_loops(root: Run, facts: GraphFacts) -> None:
    """Puts into every run the turns of a loop that it holds, or else its lines, if it is long."""
    todo = [root]
    while todo:
        run = todo.pop()
        parts = (
            python_loops.by_parameters(run, facts)
            or long_runs.split_by_lines(run, facts)
            or python_loops.by_repetition(run, facts)
        )
        enclose(run, [part for part in parts if len(part) > 1 and not part.same(run)])
        todo += run.runs


def give_roles(root: Run, facts: GraphFacts, inside: bool) -> None:
    """Gives every run its role: its own, else that of the run around it, else (`inside` of a body)
    that of its first eqn."""
    for run in preorder(root):
        for inner in run.runs:
            inner.role = inner.role or run.role or (facts.roles[inner.start] if inside else "")
