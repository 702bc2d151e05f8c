"""Groups of StableHLO and HLO: those of the jaxpr's eqns that theirs were made for.

What was one group stays one, with its name, its role and its twin, as far as its eqns still follow
one another. StableHLO has the order of the jaxpr. XLA schedules instructions for the least memory,
so that groups interleave: there the order is chosen anew, among all in which each value is made
before it is used.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis import sections
from jaxviz.analysis.alike import Shapes
from jaxviz.analysis.flow import Flow
from jaxviz.analysis.source import Source, line_of
from jaxviz.analysis.tree import Run, preorder, runs_of

LEAST = 3
"""Eqns of the shortest run that is a group."""
PAIRED = 2
"""The same where it is the derivative of another, or has one: they stand side by side."""
PASSES = {"forward": 0, "recompute": 1, "backward": 1, "optimizer": 2}
"""The parts of a training step, in their order."""

Path = tuple[Hashable, ...]
"""The groups around an eqn, outermost first, and the eqns that hold it."""


@dataclass(frozen=True)
class Kept:
    """A group of the jaxpr, or an eqn whose body was made part of what is around it."""

    name: str
    kind: str
    role: str
    twin: Hashable


class Jaxpr:
    """What the eqns of a jaxpr are in, by their number."""

    def __init__(self, stage: schema.Stage) -> None:
        self.kept: dict[Hashable, Kept] = {}
        self.twins: set[Hashable] = set()
        self._around: list[Path] = []
        self._paths: dict[tuple[int, ...], Path] = {}
        for number, graph in enumerate(stage.graphs):
            first = len(self._around)
            self._around += [()] * len(graph.eqns)
            for index, group in enumerate(graph.groups):
                key = (number, index)
                twin = None if group.twin is None else (number, group.twin)
                self.kept[key] = Kept(group.name, group.kind, group.role, twin)
                if twin is not None:
                    self.twins |= {key, twin}
                for at in range(first + group.start, first + group.stop):
                    self._around[at] = (*self._around[at], key)
            for at, eqn in enumerate(graph.eqns, first):
                if eqn.bodies:
                    self.kept[at] = Kept(eqn.name or eqn.op, "call", "", None)

    def path(self, origin: list[int]) -> Path:
        """What is around the eqn that something was made for; nothing where that is not known."""
        key = tuple(origin)
        known = self._paths.get(key)
        if known is None:
            found: list[Hashable] = []
            for number in key:
                found += [*self._around[number], number]
            known = self._paths[key] = tuple(found[:-1])
        return known

    def in_order(self, graph: schema.Graph, paths: list[Path]) -> list[Path]:
        """With no eqn that needs what a later part of a training step makes: XLA makes one
        instruction of what two parts do alike. Either what it needs goes to its own part, or it
        goes to the later one with all that needs it, whichever are fewer."""
        found = list(paths)
        parts = [self._part(path) for path in paths]
        makers, users = ends(graph)
        for at, part in enumerate(parts):
            if part == 0 or all(parts[maker] <= part for maker in makers[at]):
                continue
            needed = reached(at, makers, lambda one, most=part: parts[one] > most)
            needing = reached(at, users, lambda one, most=part: 0 < parts[one] <= most)
            late = max(makers[at], key=lambda maker: parts[maker])
            moved, to = (needed, at) if len(needed) <= len(needing) + 1 else ({*needing, at}, late)
            for one in moved:
                found[one], parts[one] = found[to], parts[to]
        return found

    def _part(self, path: Path) -> int:
        """Which part of a training step, from 1; 0 for none."""
        roles = (self.kept[key].role for key in path)
        return next((1 + PASSES[role] for role in roles if role), 0)


def grouped(stage: schema.Stage, jaxpr: schema.Stage) -> schema.Stage:
    """The stage with the groups of each graph, and in optimized HLO its eqns in their order."""
    known = Jaxpr(jaxpr)
    eqns = (eqn for graph in stage.graphs for eqn in graph.eqns if eqn.op == "fusion")
    fused = {body.graph for eqn in eqns for body in eqn.bodies}
    graphs = list(stage.graphs)
    paths: dict[int, list[Path]] = {}
    for index, graph in enumerate(stage.graphs):
        if len(graph.eqns) <= LEAST:
            continue
        if index in fused:
            paths[index] = [()] * len(graph.eqns)
            continue
        found = below(filled(graph, [known.path(eqn.origin) for eqn in graph.eqns]))
        if stage.kind == "hlo":
            found = known.in_order(graph, found)
            order = gathered(graph, found)
            graphs[index] = replace(graph, eqns=[graph.eqns[at] for at in order])
            found = [found[at] for at in order]
        paths[index] = found
    whole = replace(stage, graphs=graphs)
    shapes = Shapes(whole)
    for index, found in paths.items():
        seen = [not is_constant(eqn) for eqn in graphs[index].eqns]
        root = tree(found, known, seen)
        cut(whole, graphs[index], root, seen)
        graphs[index] = replace(graphs[index], groups=records(root, known, shapes, index))
    return replace(stage, graphs=graphs)


def filled(graph: schema.Graph, paths: list[Path]) -> list[Path]:
    """What was made for no eqn of the jaxpr lies where it is first used."""
    found = list(paths)
    first: dict[int, int] = {}
    for at in reversed(range(len(graph.eqns))):
        eqn = graph.eqns[at]
        for var in eqn.invars:
            first[var] = at
        if not eqn.origin:
            user = min((first[var] for var in eqn.outvars if var in first), default=None)
            found[at] = () if user is None else found[user]
    return found


def below(paths: list[Path]) -> list[Path]:
    """Without what is around all of them."""
    known = [path for path in paths if path]
    if not known:
        return paths
    depth = min(shared(known[0], path) for path in known)
    return [path[depth:] for path in paths]


def shared(a: Path, b: Path) -> int:
    """How many of the outermost are the same."""
    least = min(len(a), len(b))
    return next((i for i in range(least) if a[i] != b[i]), least)


def ends(graph: schema.Graph) -> tuple[list[list[int]], list[list[int]]]:
    """For each eqn those that make its operands, and those that use its results."""
    made = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
    makers = [
        list(dict.fromkeys(made[var] for var in eqn.invars if var in made)) for eqn in graph.eqns
    ]
    users: list[list[int]] = [[] for _ in graph.eqns]
    for at, needs in enumerate(makers):
        for need in needs:
            users[need].append(at)
    return makers, users


def reached(start: int, next_: list[list[int]], through: Callable[[int], bool]) -> set[int]:
    """All that one comes to from an eqn, through such eqns alone."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = [one for one in next_[todo.pop()] if one not in found and through(one)]
        found.update(new)
        todo += new
    return found


def gathered(graph: schema.Graph, paths: list[Path]) -> list[int]:
    """The eqns in an order in which each value is made before it is used, and as few groups as can
    be are left before they are whole: the next eqn is one of the same group where one is ready,
    else of the innermost group around it; of several groups the one that is first in the jaxpr."""
    makers, users = ends(graph)
    missing = [len(needs) for needs in makers]
    ready: defaultdict[Path, list[int]] = defaultdict(list)
    for at, count in enumerate(missing):
        if count == 0:
            ready[paths[at]].append(at)
    first: dict[Path, list[int]] = {}
    for eqn, path in zip(graph.eqns, paths, strict=True):
        if eqn.origin:
            first[path] = min(first.get(path, eqn.origin), eqn.origin)
    order: list[int] = []
    here: Path = ()
    while ready:
        if here not in ready:
            here = min(ready, key=lambda path: (-shared(here, path), first.get(path, [])))
        at = heapq.heappop(ready[here])
        if not ready[here]:
            del ready[here]
        order.append(at)
        for user in users[at]:
            missing[user] -= 1
            if missing[user] == 0:
                heapq.heappush(ready[paths[user]], user)
    return order


def tree(paths: list[Path], known: Jaxpr, seen: list[bool]) -> Run:
    """The runs of neighbours with the same groups around them, of enough eqns that are seen: a
    constant is not. Of two that hold the same eqns the outer one stays."""
    root = Run(0, len(paths), "call", "")
    around = [root]
    found = sorted(runs_of(paths), key=lambda run: (run[0], run[2]))
    for start, stop, depth in found:
        while around[-1].stop <= start:
            around.pop()
        outer = around[-1]
        key = paths[start][depth]
        least = PAIRED if key in known.twins else LEAST
        if sum(seen[start:stop]) < least or (start, stop) == (outer.start, outer.stop):
            continue
        kept = known.kept[key]
        run = Run(start, stop, kept.kind, kept.name, key, kept.role or outer.role)
        outer.runs.append(run)
        around.append(run)
    return root


def cut(stage: schema.Stage, graph: schema.Graph, root: Run, seen: list[bool]) -> None:
    """Adds sections where too much is seen to overlook."""
    ops = told(graph)
    source = Source(
        chains=[],
        ops=ops,
        scopes=[],
        paths=[],
        owner="",
        roles=[],
        holders=[],
        lines=[line_of(stage, eqn) for eqn in graph.eqns],
        flow=Flow(graph),
    )
    todo = [root]
    while todo:
        run = todo.pop()
        items = sum(isinstance(item, Run) or seen[item] for item in run.items())
        todo += [*run.runs, *(sections.cut(run, source) if items > sections.LONG else [])]


def is_constant(eqn: schema.Eqn) -> bool:
    return eqn.op.rpartition(".")[2] == "constant"


def told(graph: schema.Graph) -> list[str]:
    """What the eqns are called where they name a section: a constant as what follows it."""
    names: list[str] = []
    after = ""
    for eqn in reversed(graph.eqns):
        op = eqn.op.rpartition(".")[2]
        if not is_constant(eqn) or not after:
            after = eqn.name if op == "call" and eqn.name else op
        names.append(after)
    return names[::-1]


def records(root: Run, known: Jaxpr, shapes: Shapes, graph: int) -> list[schema.Group]:
    """The groups. Of several runs that were one group the longest has its twin, or is one."""
    ordered = preorder(root)[1:]
    index = {run: i for i, run in enumerate(ordered)}
    parents = {inner: index[run] for run in ordered for inner in run.runs}
    alike = shapes.of(graph, [(run.start, run.stop) for run in ordered])
    longest: dict[Hashable, Run] = {}
    for run in ordered:
        if run.key is not None and len(run) > len(longest.get(run.key, ())):
            longest[run.key] = run

    def twin(run: Run) -> int | None:
        kept = known.kept.get(run.key) if longest.get(run.key) is run else None
        other = None if kept is None else longest.get(kept.twin)
        return None if other is None else index[other]

    return [
        schema.Group(
            name=run.name,
            kind=run.kind,
            role=run.role,
            parent=parents.get(run),
            twin=twin(run),
            alike=number,
            start=run.start,
            stop=run.stop,
        )
        for run, number in zip(ordered, alike, strict=True)
    ]
