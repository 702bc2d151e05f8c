"""The order of optimized HLO's instructions in which groups hold together.

XLA schedules instructions for the least memory, so that groups interleave. Here the order is chosen
anew, among all in which each value is made before it is used.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable

from jaxviz import schema

GroupPath = tuple[Hashable, ...]
"""The keys of the groups around an eqn, and of the eqns that hold it, outermost first."""


def makers_and_users(graph: schema.Graph) -> tuple[list[list[int]], list[list[int]]]:
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


def without_backward_needs(
    graph: schema.Graph, paths: list[GroupPath], part_of: Callable[[GroupPath], int]
) -> list[GroupPath]:
    """The groups around each eqn, changed so that no eqn needs what a later part of a training step
    makes: XLA makes one instruction of what two parts do alike.

    `part_of` gives the part that a path lies in, from 1, or 0 for none. Either what an eqn needs
    goes to its own part, or the eqn and all that needs it go to the later one, whichever are
    fewer."""
    found = list(paths)
    parts = [part_of(path) for path in paths]
    makers, users = makers_and_users(graph)
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


def reached(start: int, neighbours: list[list[int]], through: Callable[[int], bool]) -> set[int]:
    """All eqns that are reached from one, going only through those that `through` admits."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = [one for one in neighbours[todo.pop()] if one not in found and through(one)]
        found.update(new)
        todo += new
    return found


def gathered(graph: schema.Graph, paths: list[GroupPath]) -> list[int]:
    """The eqns in an order in which each value is made before it is used, and as few groups as
    possible are left before they are complete.

    The next eqn is one of the same group where one is ready, else of the innermost group around it;
    of several groups, the one that comes first in the jaxpr."""
    makers, users = makers_and_users(graph)
    missing = [len(needs) for needs in makers]
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
    """The eqns whose operands are all made, by their groups."""

    def __init__(self) -> None:
        self._eqns: dict[GroupPath, list[int]] = {}
        self._within: defaultdict[GroupPath, dict[GroupPath, None]] = defaultdict(dict)
        """For each group the paths in it that have such eqns."""

    def add(self, path: GroupPath, at: int) -> None:
        if path not in self._eqns:
            self._eqns[path] = []
            for depth in range(len(path) + 1):
                self._within[path[:depth]][path] = None
        heapq.heappush(self._eqns[path], at)

    def take(self, path: GroupPath) -> int:
        """The first eqn of a path, which is ready no more."""
        at = heapq.heappop(self._eqns[path])
        if not self._eqns[path]:
            del self._eqns[path]
            for depth in range(len(path) + 1):
                del self._within[path[:depth]][path]
        return at

    def nearest(self, path: GroupPath) -> Collection[GroupPath]:
        """The path itself where it has such eqns, else all that share most groups with it."""
        if path in self._eqns:
            return [path]
        around = (path[:depth] for depth in range(len(path), -1, -1))
        return next((found for one in around if (found := self._within.get(one))), [])
