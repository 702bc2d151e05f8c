"""Groups: contiguous runs of a graph's eqns, nested, that make a long program readable."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import chain, pairwise

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis import (
    calls,
    later,
    lines,
    loops,
    loss,
    names,
    regions,
    repeats,
    scopes,
    sections,
    twins,
)
from jaxviz.analysis.alike import Shapes
from jaxviz.analysis.source import Source, gather
from jaxviz.analysis.tree import Run, enclose, nest, preorder, runs_of

LEAST = 3
"""Eqns of the shortest run that is a group."""
LITTLE = 20
"""Eqns of a run in which mere functions need no groups of their own."""
ITEMS = 40
"""Items beyond which a run keeps the runs inside it, however large they are."""


def outline(stage: schema.Stage, jaxpr: schema.Stage | None = None) -> schema.Stage:
    """The same stage with the groups of each graph; a later one's are those of its `jaxpr`.

    The parts of a training step come first, then name scopes, then the functions on the user's
    call stacks, with the turns of Python loops told apart; what is still long is cut where the
    fewest values cross.
    """
    if not stage.graphs:
        return stage
    if jaxpr is not None:
        return later.grouped(stage, jaxpr)
    sources = gather(stage)
    roles = [source.roles for source in sources]
    steps = regions.holds_step(stage, roles)
    remats = {index for index, of in enumerate(roles) if scopes.RECOMPUTE in of}
    shapes = Shapes(stage)
    graphs = [
        replace(graph, groups=groups(stage, index, sources[index], steps, remats, shapes))
        for index, graph in enumerate(stage.graphs)
    ]
    return replace(stage, graphs=graphs)


def groups(
    stage: schema.Stage,
    index: int,
    source: Source,
    steps: set[int],
    remats: set[int],
    shapes: Shapes,
) -> list[schema.Group]:
    """The groups of one graph, parents first, in the order of the eqns."""
    graph = stage.graphs[index]
    if len(graph.eqns) <= LEAST:
        return []
    root = Run(0, len(graph.eqns), "call", "")
    parts = regions.split(graph, source.roles, source.paths, steps)
    found = [*scope_runs(stage.frames, source), *call_runs(stage.frames, source)]
    found = [piece for run in found for piece in regions.apart(run, parts)]
    nest(root, [*chain.from_iterable(parts), *regions.again(graph, source.roles, remats), *found])
    merge_equal(root)
    split_loops(root, source, stage.frames)
    dissolve(root, parts)
    drop_short(root, source)
    loss.wrap(parts, names.shared(root, source), source)
    give_roles(root, source, inside=not parts)
    paths = names.shared(root, source)
    twins.pair(parts, paths, source)
    names.give(root, source, paths)
    drop_echoes(root)
    repeats.gather(root, shapes, index)
    todo = [root]
    while todo:
        run = todo.pop()
        todo += [*run.runs, *sections.cut(run, source)]
    return records(root, shapes, index)


def scope_runs(frames: list[schema.Frame], source: Source) -> Iterator[Run]:
    """Runs of one name scope. Where a library's method names the scope, each call of it is one."""
    stacks = source.scopes
    for start, stop, depth in runs_of(stacks):
        name, key = stacks[start][depth], stacks[start][: depth + 1]
        cuts = calls.apart(frames, source.chains[start:stop], name)
        for a, b in pairwise([start, *(start + cut for cut in cuts), stop]):
            yield Run(a, b, "scope", name, key)


def call_runs(frames: list[schema.Frame], source: Source) -> Iterator[Run]:
    paths = {chain: calls.calls(frames, chain) for chain in set(source.chains)}
    stacks = [paths[chain] for chain in source.chains]
    for start, stop, depth in runs_of(stacks):
        call = stacks[start][depth]
        name = calls.title(call[1])
        if call[-1] and not calls.telling(name):
            continue
        if call[0] is not None and lines.nameless(call[1]):
            name = lines.target(frames[call[0]].code) or name
        yield Run(start, stop, "call", name, call)


def merge_equal(root: Run) -> None:
    """Of runs with the same eqns keeps one: the scope, else the outermost telling function."""
    for run in preorder(root):
        while len(run.runs) == 1 and run.same(run.runs[0]):
            inner = run.runs[0]
            better = not calls.telling(run.name) and calls.telling(inner.name)
            if run is not root and run.kind == "call" and better:
                run.name = inner.name
            run.runs = inner.runs


def split_loops(root: Run, source: Source, frames: list[schema.Frame]) -> None:
    todo = [root]
    while todo:
        run = todo.pop()
        parts = (
            loops.split(run, source)
            or lines.split(run, source, frames)
            or loops.by_cycle(run, source)
        )
        enclose(run, [part for part in parts if len(part) >= LEAST and not part.same(run)])
        todo += run.runs


def dissolve(root: Run, parts: list[list[Run]]) -> None:
    """Takes out calls that only hold the turns of a loop, or nearly all of their parent."""
    kept = kept_in_both(parts)
    todo = [root]
    while todo:
        run = todo.pop()
        index = 0
        while index < len(run.runs):
            inner = run.runs[index]
            most = inner.key not in kept and dominates(inner, run)
            if inner.kind == "call" and (is_loop(inner) or most):
                run.runs[index : index + 1] = inner.runs
            else:
                index += 1
        todo += run.runs


def kept_in_both(parts: list[list[Run]]) -> set[Hashable]:
    """The calls that are in both passes of a step once, and tell something in one of them: both
    keep them, so that they pair."""
    kept: set[Hashable] = set()
    for part in parts:
        passes = [told(run) for run in part if run.role in (regions.FORWARD, regions.BACKWARD)]
        if len(passes) == 2:
            both = passes[0].keys() & passes[1].keys()
            kept |= {key for key in both if passes[0][key] or passes[1][key]}
    return kept


def told(root: Run) -> dict[Hashable, bool]:
    """The calls that are once in a run, and whether each is less than nearly all of its parent."""
    found: dict[Hashable, list[bool]] = {}
    for run in preorder(root):
        for inner in run.runs:
            if inner.kind == "call" and inner.key is not None:
                found.setdefault(inner.key, []).append(not dominates(inner, run))
    return {key: tells[0] for key, tells in found.items() if len(tells) == 1}


def is_loop(run: Run) -> bool:
    """Whether a run is but the turns of a loop. A library's function is one sweep over all
    parameters, not a loop of the user's."""
    if calls.is_library(run.key):
        return False
    turns = [inner for inner in run.runs if inner.kind == "scope" or is_turn(inner)]
    return 2 <= len(turns) <= loops.SHORT and sum(map(len, turns)) == len(run)


def is_turn(run: Run) -> bool:
    """Whether a run is one turn of a loop, or an eqn that computes one again."""
    return loops.is_turn(run) or run.key == regions.AGAIN


def dominates(inner: Run, run: Run) -> bool:
    part = 3 / 4 if inner.runs else 9 / 10
    return (
        len(inner) >= part * len(run)
        and not loops.is_turn(inner)
        and (bool(inner.runs) or (run.kind == "call" and run.name != ""))
        and inner.count() + run.count() - 1 <= ITEMS
    )


def drop_short(root: Run, source: Source) -> None:
    """Takes out runs that are too short, and those that tell nothing."""
    for run in preorder(root):
        small = run is not root and len(run) <= LITTLE
        held: list[Run] = []
        for inner in run.runs:
            if not inner.role and is_plain(inner, run, source) and (small or is_helper(inner)):
                held += inner.runs
            else:
                held.append(inner)
        run.runs = [inner for inner in held if inner.role or len(inner) >= LEAST]


def is_helper(run: Run) -> bool:
    """Whether a run is a small function of a library."""
    return calls.is_library(run.key) and len(run) <= LITTLE


def is_plain(run: Run, outer: Run, source: Source) -> bool:
    """Whether a run would be named by its function alone."""
    if run.kind != "call" or loops.is_turn(run):
        return False
    path = source.path(run)
    same = names.below(path, ()) == names.below(source.path(outer), ())
    return path is None or (path != () and same)


def drop_echoes(root: Run) -> None:
    """Takes out runs with the name of the run around them."""
    for run in preorder(root):
        while any(inner.name == run.name for inner in run.runs):
            same = [inner.runs if inner.name == run.name else [inner] for inner in run.runs]
            run.runs = list(chain.from_iterable(same))


def give_roles(root: Run, source: Source, inside: bool) -> None:
    """The role of every run: its own, else that of the run around it. Inside of a body, that of
    its eqns."""
    for run in preorder(root):
        for inner in run.runs:
            inner.role = inner.role or run.role or (source.roles[inner.start] if inside else "")


def records(root: Run, shapes: Shapes, graph: int) -> list[schema.Group]:
    ordered = preorder(root)[1:]
    index = {run: i for i, run in enumerate(ordered)}
    parents = {inner: index[run] for run in ordered for inner in run.runs}
    alike = shapes.of(graph, [(run.start, run.stop) for run in ordered])
    return [
        schema.Group(
            name=run.name,
            kind=run.kind,
            role=run.role,
            parent=parents.get(run),
            twin=None if run.twin is None else index[run.twin],
            alike=number,
            start=run.start,
            stop=run.stop,
        )
        for run, number in zip(ordered, alike, strict=True)
    ]
