"""What of a stage a static picture may open: all else is a closed box in it, or not to be seen.

A picture opens what the page opens at first, as much as a budget of boxes allows: which, is decided
in `js/src/model/budget.ts` alone. Here it is found what cannot be opened: a group or a body that
has no room even where nothing is open but what it stands in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import accumulate

from jaxviz import schema

BUDGET = 32
"""Boxes that are open at first, where nothing else was chosen. The only eqn or group
of its place is opened anyway."""
FULL = 100
"""Boxes from which on nothing more is opened."""

CONSTANT = ("constant", "broadcast", "broadcast_in_dim")
"""Operations of later stages that may be written on the boxes of those that use them."""

Region = tuple[int, int]
"""What is seen where something is open: a graph by its index, and the group of it, or `WHOLE`."""
WHOLE = -1


def openable(stage: schema.Stage, opening: schema.Opening, most: int) -> set[Region]:
    """The regions that may be open where one shows at most so many eqns and groups, and those that
    say how many layers a closed row has."""
    chosen = opening.depth is not None or opening.boxes is not None
    budget = FULL if chosen else BUDGET
    regions = Regions(stage, most)
    found: set[Region] = set()
    waiting = [(regions.boxes((0, WHOLE)), (0, WHOLE))]
    while waiting:
        boxes, region = heappop(waiting)
        if region in found:
            continue
        found.add(region)
        alone = regions.boxes(region) <= 1
        for inner, more in regions.inside(region) if boxes <= FULL else ():
            if alone or boxes + more <= budget:
                heappush(waiting, (boxes + more, inner))
    return found | regions.rows(found)


class Regions:
    def __init__(self, stage: schema.Stage, most: int) -> None:
        constant = () if stage.kind == "jaxpr" else CONSTANT
        self._most = most
        self._graphs = stage.graphs
        self._unseen = [unseen_before(graph, constant) for graph in stage.graphs]
        self._groups = [by_parent(graph) for graph in stage.graphs]
        self._partners = [partners(graph) for graph in stage.graphs]

    def boxes(self, region: Region) -> int:
        """How many eqns and groups directly in a region are seen at least."""
        seen = self._seen(region[0], *self._bounds(region))
        for one in self._held(region):
            if one.start < one.stop:
                seen -= self._seen(region[0], one.start, one.stop) - 1
        return min(seen, self._most)

    def _seen(self, graph: int, start: int, stop: int) -> int:
        unseen = self._unseen[graph]
        return stop - start - unseen[stop] + unseen[start]

    def inside(self, region: Region) -> Iterator[tuple[Region, int]]:
        """The regions that can be opened in one, and how many boxes more are open then."""
        graph, group = region
        for index in self._groups[graph].get(group, ()):
            # What is opened with its twin counts once, and may stand elsewhere.
            more = self.boxes((graph, index))
            yield (graph, index), more
            for partner in self._partners[graph].get(index, ()):
                yield (graph, partner), more
        for eqn in self._eqns(region):
            beside = len(eqn.bodies) if len(eqn.bodies) > 1 else 0
            for body in eqn.bodies:
                yield (body.graph, WHOLE), beside + self.boxes((body.graph, WHOLE))

    def rows(self, opened: set[Region]) -> set[Region]:
        """Of the repeats in open regions that are closed, and their sections."""
        found: set[Region] = set()
        waiting = [(region, "repeat") for region in opened]
        while waiting:
            (graph, group), kind = waiting.pop()
            for index in self._groups[graph].get(group, ()):
                inner = graph, index
                if self._graphs[graph].groups[index].kind == kind and inner not in found:
                    found.add(inner)
                    waiting.append((inner, "section"))
        return found

    def _bounds(self, region: Region) -> tuple[int, int]:
        graph = self._graphs[region[0]]
        if region[1] == WHOLE:
            return 0, len(graph.eqns)
        group = graph.groups[region[1]]
        return group.start, group.stop

    def _held(self, region: Region) -> list[schema.Group]:
        graph, group = region
        return [self._graphs[graph].groups[one] for one in self._groups[graph].get(group, ())]

    def _eqns(self, region: Region) -> Iterator[schema.Eqn]:
        """Those directly in it that hold something."""
        at, stop = self._bounds(region)
        eqns = self._graphs[region[0]].eqns
        for one in sorted(self._held(region), key=lambda group: group.start):
            yield from (eqn for eqn in eqns[at : one.start] if eqn.bodies)
            at = max(at, one.stop)
        yield from (eqn for eqn in eqns[at:stop] if eqn.bodies)


def unseen_before(graph: schema.Graph, constant: tuple[str, ...]) -> list[int]:
    """Of the first n eqns how many may have no box, for each n."""
    if not constant:
        return [0] * (len(graph.eqns) + 1)
    return [*accumulate((eqn.op.endswith(constant) for eqn in graph.eqns), initial=0)]


def by_parent(graph: schema.Graph) -> dict[int, list[int]]:
    """The groups directly in each group, and in the whole graph."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(graph.groups):
        found[WHOLE if group.parent is None else group.parent].append(index)
    return found


def partners(graph: schema.Graph) -> dict[int, list[int]]:
    """The groups that are opened together: a forward one and those that are its derivative."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(graph.groups):
        if group.role == "backward" and group.twin is not None:
            found[group.twin].append(index)
            found[index].append(group.twin)
    return found
