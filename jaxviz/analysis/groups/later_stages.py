"""The groups of StableHLO and HLO: those of the jaxpr eqns that their eqns were made for.

A group of the jaxpr stays one group, with its name and role, if its eqns are still neighbours.
StableHLO has the order of the jaxpr. XLA schedules optimized HLO for the least memory, so groups
interleave there. Their eqns are reordered to keep groups together; each value is still made before
it is used.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from itertools import accumulate

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.groups.facts.graph_facts import GraphFacts, SourceLine, ValueFlow, lines_of
from jaxviz.analysis.groups.facts.name_stacks import (
    BACKWARD,
    FORWARD,
    LOSS,
    OPTIMIZER,
    RECOMPUTE,
)
from jaxviz.analysis.groups.long_runs import add_sections, most_items
from jaxviz.analysis.groups.loops.repeats import RunNumbers
from jaxviz.analysis.groups.run_tree import (
    SHORTEST_GROUP,
    Run,
    as_records,
    equal_neighbours,
    preorder,
)
from jaxviz.schema.record import NOTHING, Sentence

GroupPath = tuple[Hashable, ...]
"""The keys of the groups and of the eqns that contain an eqn, outermost first."""


def makers_and_users(graph: schema.Graph) -> tuple[list[list[int]], list[list[int]]]:
    """For each eqn, those that make its operands, and those that use its results."""
    made = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
    makers = [
        list(dict.fromkeys(made[var] for var in eqn.invars if var in made)) for eqn in graph.eqns
    ]
    users: list[list[int]] = [[] for _ in graph.eqns]
    for at, makers_of_eqn in enumerate(makers):
        for maker in makers_of_eqn:
            users[maker].append(at)
    return makers, users


def without_backward_needs(
    graph: schema.Graph, paths: list[GroupPath], part_of: Callable[[GroupPath], int]
) -> list[GroupPath]:
    """The paths of all eqns, changed so that no eqn uses a result of a later part of a training
    step. XLA may have made one instruction of two equal eqns in both parts.

    `part_of` returns the part of a path, from 1, or 0 for none. Either the makers of the operands
    move to the part of the eqn, or the eqn and its users move to the later part: whichever are
    fewer.
    """
    found = list(paths)
    parts = [part_of(path) for path in paths]
    makers, users = makers_and_users(graph)
    for at, part in enumerate(parts):
        if part == 0 or all(parts[maker] <= part for maker in makers[at]):
            continue
        required = reachable(at, makers, lambda one, most=part: parts[one] > most)
        dependent = reachable(at, users, lambda one, most=part: 0 < parts[one] <= most)
        last_maker = max(makers[at], key=lambda maker: parts[maker])
        moved, to = (
            (required, at)
            if len(required) <= len(dependent) + 1
            else ({*dependent, at}, last_maker)
        )
        for one in moved:
            found[one], parts[one] = found[to], parts[to]
    return found


def reachable(start: int, neighbours: list[list[int]], through: Callable[[int], bool]) -> set[int]:
    """All eqns that one eqn reaches through eqns for which `through` is true."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = [one for one in neighbours[todo.pop()] if one not in found and through(one)]
        found.update(new)
        todo += new
    return found


def eqns_by_group(graph: schema.Graph, paths: list[GroupPath]) -> list[int]:
    """The eqns in an order in which each value is made before it is used, and few groups are open
    at once.

    The next eqn is a ready one of the same group, else of the innermost group around it. Of several
    groups, the first one in the jaxpr is next.
    """
    makers, users = makers_and_users(graph)
    missing = [len(makers_of_eqn) for makers_of_eqn in makers]
    ready = ReadyEqns()
    for at, count in enumerate(missing):
        if count == 0:
            ready.add(paths[at], at)
    first: dict[GroupPath, tuple[int, ...]] = {}
    for eqn, path in zip(graph.eqns, paths, strict=True):
        if eqn.origin:
            first[path] = min(first.get(path, eqn.origin), eqn.origin)
    order: list[int] = []
    current: GroupPath = ()
    while nearest := ready.nearest(current):
        current = min(nearest, key=lambda path: first.get(path, ()))
        at = ready.take(current)
        order.append(at)
        for user in users[at]:
            missing[user] -= 1
            if missing[user] == 0:
                ready.add(paths[user], user)
    return order


class ReadyEqns:
    """The eqns whose operands are all made, by their paths."""

    def __init__(self) -> None:
        self._eqns: dict[GroupPath, list[int]] = {}
        self._within: defaultdict[GroupPath, dict[GroupPath, None]] = defaultdict(dict)
        """For each group, the paths in it that have ready eqns."""

    def add(self, path: GroupPath, at: int) -> None:
        if path not in self._eqns:
            self._eqns[path] = []
            for depth in range(len(path) + 1):
                self._within[path[:depth]][path] = None
        heapq.heappush(self._eqns[path], at)

    def take(self, path: GroupPath) -> int:
        """Removes and returns the first eqn of a path."""
        at = heapq.heappop(self._eqns[path])
        if not self._eqns[path]:
            del self._eqns[path]
            for depth in range(len(path) + 1):
                del self._within[path[:depth]][path]
        return at

    def nearest(self, path: GroupPath) -> Collection[GroupPath]:
        """A path itself if it has ready eqns, else all paths that share the most groups with it."""
        if path in self._eqns:
            return [path]
        around = (path[:depth] for depth in range(len(path), -1, -1))
        return next((found for one in around if (found := self._within.get(one))), [])


SHORTEST_WITH_COUNTERPART = 2
"""Eqns of the shortest group with a counterpart, since both are drawn side by side."""
ORDER_OF_PARTS = {FORWARD: 1, LOSS: 1, RECOMPUTE: 2, BACKWARD: 2, OPTIMIZER: 3}
"""The parts of a training step, in their order."""


@dataclass(frozen=True)
class JaxprGroup:
    """A group of the jaxpr, or an eqn whose body was inlined."""

    name: str
    kind: str
    role: str
    counterpart: Hashable
    named_by: str
    unlike: Sentence = NOTHING


class JaxprGroups:
    """The groups of a jaxpr's eqns. Eqns are numbered from 0 through all graphs in their order."""

    def __init__(self, stage: schema.Stage) -> None:
        self.by_key: dict[Hashable, JaxprGroup] = {}
        self.paired: set[Hashable] = set()
        """The keys of groups that have a counterpart, or are one."""
        self._groups_around: list[GroupPath] = []
        self._paths: dict[tuple[int, ...], GroupPath] = {}
        for number, graph in enumerate(stage.graphs):
            first = len(self._groups_around)
            self._groups_around += [()] * len(graph.eqns)
            for index, group in enumerate(graph.groups):
                key = (number, index)
                counterpart = None if group.twin is None else (number, group.twin)
                self.by_key[key] = JaxprGroup(
                    group.name, group.kind, group.role, counterpart, group.named_by, group.unlike
                )
                if counterpart is not None:
                    self.paired |= {key, counterpart}
                for at in range(first + group.start, first + group.stop):
                    self._groups_around[at] = (*self._groups_around[at], key)
            for at, eqn in enumerate(graph.eqns, first):
                if eqn.bodies:
                    self.by_key[at] = JaxprGroup(
                        eqn.name or eqn.op, "call", "", None, "" if eqn.name else "operation"
                    )

    def path(self, origin: tuple[int, ...]) -> GroupPath:
        """The groups and eqns around the eqn with an `Eqn.origin`; empty if the origin is
        unknown."""
        path = self._paths.get(origin)
        if path is None:
            found: list[Hashable] = []
            for number in origin:
                found += [*self._groups_around[number], number]
            path = self._paths[origin] = tuple(found[:-1])
        return path

    def part_of(self, path: GroupPath) -> int:
        """The part of a training step that a path belongs to, from 1; 0 for none."""
        roles = (self.by_key[key].role for key in path)
        return next((ORDER_OF_PARTS[role] for role in roles if role), 0)


def with_groups_of_jaxpr(stage: schema.Stage, jaxpr: schema.Stage) -> schema.Stage:
    """Returns the stage with the groups of each graph. The eqns of optimized HLO are in the order
    of the groups."""
    jaxpr_groups = JaxprGroups(jaxpr)
    eqns = (eqn for graph in stage.graphs for eqn in graph.eqns if eqn.op == "fusion")
    fused = {body.graph for eqn in eqns for body in eqn.bodies}
    graphs = list(stage.graphs)
    paths: dict[int, list[GroupPath]] = {}
    for index, graph in enumerate(stage.graphs):
        if len(graph.eqns) <= SHORTEST_GROUP:
            continue
        if index in fused:
            paths[index] = [()] * len(graph.eqns)
            continue
        found = without_common(
            with_users_path(graph, [jaxpr_groups.path(e.origin) for e in graph.eqns])
        )
        if stage.kind == "hlo":
            found = without_backward_needs(graph, found, jaxpr_groups.part_of)
            order = eqns_by_group(graph, found)
            graphs[index] = replace(graph, eqns=[graph.eqns[at] for at in order])
            found = [found[at] for at in order]
        paths[index] = found
    ordered = replace(stage, graphs=graphs)
    run_numbers, lines = RunNumbers(ordered), lines_of(stage)
    for index, found in paths.items():
        root = run_tree_of(ordered, graphs[index], found, jaxpr_groups, lines)
        runs = preorder(root)[1:]
        set_counterparts(runs, jaxpr_groups)
        alike = run_numbers.of(index, [(run.start, run.stop) for run in runs])
        graphs[index] = replace(graphs[index], groups=as_records(runs, alike))
    return replace(stage, graphs=graphs)


def with_users_path(graph: schema.Graph, paths: list[GroupPath]) -> list[GroupPath]:
    """The path of each eqn. An eqn of unknown origin gets the path of its first user."""
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


def without_common(paths: list[GroupPath]) -> list[GroupPath]:
    """The paths without their common start."""
    full = [path for path in paths if path]
    if not full:
        return paths
    depth = min(shared_depth(full[0], path) for path in full)
    return [path[depth:] for path in paths]


def shared_depth(a: GroupPath, b: GroupPath) -> int:
    """The number of outermost groups that both paths share."""
    depth = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        depth += 1
    return depth


def run_tree_of(
    stage: schema.Stage,
    graph: schema.Graph,
    paths: list[GroupPath],
    jaxpr_groups: JaxprGroups,
    lines: dict[int | None, SourceLine],
) -> Run:
    """The runs of one graph, with sections if too many items are visible. Constants are not
    visible: they are drawn on their users."""
    ops = [eqn.op for eqn in graph.eqns]
    constants = set(filter(is_constant, set(ops)))
    visible = [op not in constants for op in ops]
    root = runs_of_neighbours(paths, jaxpr_groups, visible)
    facts = GraphFacts(
        frames=stage.frames,
        ops=ops,
        calls=[eqn.name or eqn.op for eqn in graph.eqns],
        lines=[lines[eqn.frame] for eqn in graph.eqns],
        flow=ValueFlow(graph),
    )
    before = [*accumulate(visible, initial=0)]

    def shown(run: Run) -> int:
        return before[run.stop] - before[run.start]

    todo = [root]
    while todo:
        run = todo.pop()
        items = shown(run) - sum(shown(inner) - 1 for inner in run.runs)
        todo += [*run.runs, *(add_sections(run, facts) if items > most_items(run) else [])]
    return root


def runs_of_neighbours(
    paths: list[GroupPath], jaxpr_groups: JaxprGroups, visible: list[bool]
) -> Run:
    """The runs of neighbours with the same groups around them, if enough of their eqns are visible.
    Of two runs with the same eqns, the outer one stays."""
    root = Run(0, len(paths), "call", "")
    around = [root]
    for start, stop, depth in sorted(equal_neighbours(paths), key=lambda run: (run[0], run[2])):
        while around[-1].stop <= start:
            around.pop()
        outer = around[-1]
        key = paths[start][depth]
        least = SHORTEST_WITH_COUNTERPART if key in jaxpr_groups.paired else SHORTEST_GROUP
        if sum(visible[start:stop]) < least or (start, stop) == (outer.start, outer.stop):
            continue
        group = jaxpr_groups.by_key[key]
        run = Run(start, stop, group.kind, group.name, key, group.role or outer.role)
        run.unlike = group.unlike
        run.named_by = group.named_by
        outer.runs.append(run)
        around.append(run)
    return root


def is_constant(op: str) -> bool:
    return op.rpartition(".")[2] == "constant"


def set_counterparts(runs: list[Run], jaxpr_groups: JaxprGroups) -> None:
    """Sets the counterparts of runs, in place. If one group of the jaxpr became several runs, the
    longest one has the counterpart."""
    longest: dict[Hashable, Run] = {}
    for run in runs:
        if run.key is not None and len(run) > len(longest.get(run.key, ())):
            longest[run.key] = run
    for key, run in longest.items():
        group = jaxpr_groups.by_key.get(key)
        run.counterpart = None if group is None else longest.get(group.counterpart)
