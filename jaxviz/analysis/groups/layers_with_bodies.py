"""Layers that are one eqn: a loop over layers, a function that the user made a jit of, or of a
whole model's layers one that only multiplies.

Such an eqn becomes a run of its own where it alone works on the parameters of a layer, so that it
bears the layer's name in both passes, as a layer of many eqns does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from jaxviz import schema
from jaxviz.analysis.groups.differentiated import MULTIPLIES
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.known_parameters import Path
from jaxviz.analysis.groups.name_stacks import BACKWARD
from jaxviz.analysis.groups.parameter_paths import layer_path
from jaxviz.analysis.groups.run_tree import BODY, STEP_PART, Item, Run, enclose, end_of, preorder

LEAST_BODY = 5
"""Eqns in the bodies of an eqn that can be a layer."""


def add(root: Run, stage: schema.Stage, graph: schema.Graph, facts: GraphFacts) -> None:
    """Adds a run for every eqn that is a layer, in place."""
    large = {at for at, eqn in enumerate(graph.eqns) if held(stage, eqn) >= LEAST_BODY}
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
        own = {item: path for item, path in layers.items() if holder(item, facts) not in layers}
        rows = neighbours(own, products, facts)
        own = {item: path for item, path in own.items() if item not in rows or rows[item] == item}
        count = Counter(path for item, path in own.items() if item not in lookups)
        alone = [item for item, path in own.items() if path and count[path] <= 1]
        eqns = [at for at in alone if isinstance(at, int) and at in large | lookups | products]
        bodies = [body(graph.eqns[at], at, run, facts) for at in eqns]
        for made in bodies:
            made.stop = max(
                (end_of(at) for at in rows if rows[at] == made.start), default=made.stop
            )
        enclose(run, bodies)
        for made in bodies:
            made.runs.clear()


def neighbours(
    layers: Mapping[Item, Path | None], products: set[int], facts: GraphFacts
) -> dict[Item, Item]:
    """For each eqn that derives the product with one array the first of them: JAX multiplies,
    transposes and multiplies again, one after another."""
    first: dict[Item, Item] = {}
    for item, path in layers.items():
        if isinstance(item, int) and path and facts.roles[item] == BACKWARD:
            before = first.get(item - 1) if layers.get(item - 1) == path else None
            if before is not None or item in products:
                first[item] = item if before is None else before
    return first


def is_lookup(at: int, stage: schema.Stage, graph: schema.Graph) -> bool:
    """Whether an eqn reads some rows of a table, as an embedding does, or adds to them."""
    eqn = graph.eqns[at]
    inner = [one for body in eqn.bodies for one in stage.graphs[body.graph].eqns]
    return any(one.op in ("gather", "scatter-add") for one in (eqn, *inner))


def holder(item: Item, facts: GraphFacts) -> int:
    """The eqn that holds the body which all eqns of an item were moved out of, or -1."""
    eqns = [item] if isinstance(item, int) else range(item.start, item.stop)
    found = {facts.holders.get(at, -1) for at in eqns}
    return found.pop() if len(found) == 1 else -1


def held(stage: schema.Stage, eqn: schema.Eqn) -> int:
    """How many eqns the bodies of an eqn hold."""
    return sum(len(stage.graphs[body.graph].eqns) for body in eqn.bodies)


def body(eqn: schema.Eqn, at: int, outer: Run, facts: GraphFacts) -> Run:
    """The run of an eqn, with what was moved out of its bodies and stands before it."""
    start = at
    while start > outer.start and facts.holders.get(start - 1) == at:
        start -= 1
    return Run(start, at + 1, "call", eqn.name or eqn.op, BODY, outer.role)
