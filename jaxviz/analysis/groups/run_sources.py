"""The runs that become groups: of a name scope, of a call, of a rule of a custom derivative, and of
an eqn that is a layer.

One eqn is a layer if it is a loop over layers, a jitted function of the user, or a single product.
It becomes a run if no other eqn works on the parameters of that layer, and then has the layer's
name in both passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from jaxviz import schema
from jaxviz.analysis.groups.facts import source_lines
from jaxviz.analysis.groups.facts.call_stacks import (
    CALL_OF_LIBRARY,
    CUSTOM_CALLS,
    RULE,
    borders_of_calls,
    calls,
    library_title,
    site_of_rule,
    title,
)
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, Names
from jaxviz.analysis.groups.facts.parameter_paths import layer_path
from jaxviz.analysis.groups.facts.parameters import MULTIPLIES, Path
from jaxviz.analysis.groups.facts.source_lines import called_name
from jaxviz.analysis.groups.run_tree import (
    BODY,
    STEP_PART,
    Item,
    Run,
    enclose,
    end_of,
    equal_neighbours,
    preorder,
)

LEAST_BODY = 5
"""The fewest eqns in the bodies of an eqn that can be a layer."""
LEAST_EQNS = 8
"""The fewest eqns of a call that becomes a run."""


def scope_runs(facts: GraphFacts) -> Iterator[Run]:
    """The runs of one name scope. If a library's method names the scope, each call of it is a
    run."""
    frames, stacks = facts.frames, facts.scopes
    for start, stop, depth in equal_neighbours(stacks):
        name, key = stacks[start][depth], stacks[start][: depth + 1]
        cuts = borders_of_calls(frames, facts.stacks[start:stop], name)
        for a, b in pairwise([start, *(start + cut for cut in cuts), stop]):
            yield Run(a, b, "scope", name, key)


def call_runs(facts: GraphFacts) -> Iterator[Run]:
    """The runs of one call. A library's call counts if its function has a descriptive name."""
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
    """True if eqns are in several scopes and no scope contains them all. These scopes say more than
    a library's function that runs them in sequence."""
    first = {names[:1] for names in scopes}
    return len(first) > 1 and () not in first


def runs_of_calls(facts: GraphFacts) -> Iterator[Run]:
    """The runs of neighbours that one call made, if it runs a function of the user."""
    for start, stop, depth in equal_neighbours(facts.stacks):
        if stop - start < LEAST_EQNS or facts.frames[facts.stacks[start][depth]].library:
            continue
        inner = {stack[depth + 1 :][:1] for stack in facts.stacks[start:stop]}
        functions = {facts.frames[at].function for stack in inner for at in stack}
        at = facts.stacks[start][depth]
        name = called_name(facts.frames[at], facts.text) if functions and () in inner else ""
        if name and name not in {function.rpartition(".")[2] for function in functions}:
            yield Run(start, stop, "call", name, (CALL_OF_LIBRARY, at))


def rule_runs(facts: GraphFacts) -> Iterator[Run]:
    """The runs of neighbours that one rule of a custom derivative made."""
    if not any(frame.rules for frame in facts.frames):
        return
    made_by = [
        (site_of_rule(facts.frames, stack), role == BACKWARD)
        for stack, role in zip(facts.stacks, facts.roles, strict=True)
    ]
    start = 0
    for (site, is_backward), row in groupby(made_by):
        stop = start + sum(1 for _ in row)
        if site is not None and not CUSTOM_CALLS.issuperset(facts.ops[start:stop]):
            name = facts.frames[site].rules.split()[-1 if is_backward else 0]
            yield Run(start, stop, "call", name, (RULE, site))
        start = stop


def add_layers_of_one_eqn(
    root: Run, stage: schema.Stage, graph: schema.Graph, facts: GraphFacts
) -> None:
    """Adds a run for every eqn that is a layer, in place."""
    large = {
        at
        for at, eqn in enumerate(graph.eqns)
        if sum(len(stage.graphs[body.graph].eqns) for body in eqn.bodies) >= LEAST_BODY
    }
    lookups = {at for at, path in enumerate(facts.paths) if path and is_lookup(at, stage, graph)}
    products = {
        at
        for run in preorder(root)
        if run.key == STEP_PART
        for at in range(run.start, run.stop)
        if facts.ops[at] in MULTIPLIES and len(layer_path(facts.paths[at], ()) or ()) == 1
    }
    if not (large or lookups or products):
        return
    paths = facts.shared_paths(root)
    for run in preorder(root):
        around = layer_path(paths[run], ()) or ()
        layers = {
            item: layer_path(paths[item] if isinstance(item, Run) else facts.paths[item], around)
            for item in run.items()
        }
        own = {
            item: path
            for item, path in layers.items()
            if origin_of_moved(item, facts) not in layers
        }
        rows = eqns_of_one_product(own, products, facts)
        own = {item: path for item, path in own.items() if item not in rows or rows[item] == item}
        count = Counter(path for item, path in own.items() if item not in lookups)
        alone = [item for item, path in own.items() if path and count[path] <= 1]
        eqns = [at for at in alone if isinstance(at, int) and at in large | lookups | products]
        bodies = [run_of_eqn(graph.eqns[at], at, run, facts) for at in eqns]
        for made in bodies:
            made.stop = max(
                (end_of(at) for at in rows if rows[at] == made.start), default=made.stop
            )
        enclose(run, bodies)
        for made in bodies:
            made.runs.clear()


def eqns_of_one_product(
    layers: Mapping[Item, Path | None], products: set[int], facts: GraphFacts
) -> dict[Item, Item]:
    """For each eqn of the derivative of a product with one array, the first of these eqns: JAX
    multiplies, transposes and multiplies again."""
    first: dict[Item, Item] = {}
    for item, path in layers.items():
        if isinstance(item, int) and path and facts.roles[item] == BACKWARD:
            before = first.get(item - 1) if layers.get(item - 1) == path else None
            if before is not None or item in products:
                first[item] = item if before is None else before
    return first


def is_lookup(at: int, stage: schema.Stage, graph: schema.Graph) -> bool:
    """True if an eqn reads some rows of a table, as an embedding does, or adds to them."""
    eqn = graph.eqns[at]
    inner = [one for body in eqn.bodies for one in stage.graphs[body.graph].eqns]
    return any(one.op in ("gather", "scatter-add") for one in (eqn, *inner))


def origin_of_moved(item: Item, facts: GraphFacts) -> int:
    """The eqn whose body JAX moved all eqns of an item out of, or -1."""
    eqns = [item] if isinstance(item, int) else range(item.start, item.stop)
    found = {facts.moved_out_of.get(at, -1) for at in eqns}
    return found.pop() if len(found) == 1 else -1


def run_of_eqn(eqn: schema.Eqn, at: int, outer: Run, facts: GraphFacts) -> Run:
    """The run of an eqn, with the eqns before it that JAX moved out of its bodies."""
    start = at
    while start > outer.start and facts.moved_out_of.get(start - 1) == at:
        start -= 1
    return Run(start, at + 1, "call", eqn.name or eqn.op, BODY, outer.role)
