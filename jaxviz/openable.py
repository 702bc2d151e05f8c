"""Finds the groups and bodies of a stage that a static picture may open; all others stay closed.

A picture opens what the page opens at first, as far as a budget of boxes allows. What that is,
`js/src/state/first-view.ts` alone decides. Here is found what it can certainly not open, so that
`drawable.py` need not send it: a group or a body that would exceed the budget even if nothing were
open except what it stands in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import accumulate

from jaxviz import schema
from jaxviz.schema.opening import BROADCASTS, FIRST_BOXES, MOST_REPEATS, PICTURE_BOXES

CONSTANT = ("constant", *BROADCASTS)
"""Operations of later stages that may have no box, since those that use them name them."""

Region = tuple[int, int]
"""The content of an open box: a graph, by its index, and a group of it or `WHOLE`."""
WHOLE = -1
"""In place of a group: the whole graph."""


def openable(
    stage: schema.Stage, opening: schema.Opening, most: int
) -> tuple[set[Region], set[Region]]:
    """The regions that may be open where at most `most` eqns and groups show in one place; and the
    rows in these, repeats and their sections, which say how many layers they have, open or not."""
    chosen = opening.depth is not None or opening.boxes is not None
    budget = PICTURE_BOXES if chosen else FIRST_BOXES
    regions = Regions(stage, most)
    found: set[Region] = set()
    waiting = [(regions.boxes((0, WHOLE)), (0, WHOLE))]
    while waiting:
        boxes, region = heappop(waiting)
        if region in found:
            continue
        found.add(region)
        alone = regions.boxes(region) <= 1
        repeats = chosen or alone
        for inner, more in regions.inside(region, repeats) if boxes <= PICTURE_BOXES else ():
            if alone or boxes + more <= budget:
                heappush(waiting, (boxes + more, inner))
    return found, regions.rows(found)


class Regions:
    """Numbers of boxes in the regions of a stage, and the nesting of regions."""

    def __init__(self, stage: schema.Stage, most: int) -> None:
        constant = () if stage.kind == "jaxpr" else CONSTANT
        self._most = most
        self._graphs = stage.graphs
        self._unseen = [unseen_before(graph, constant) for graph in stage.graphs]
        self._groups = [by_parent(graph) for graph in stage.graphs]
        self._partners = [partners(graph) for graph in stage.graphs]
        self._layers = [layers(graph) for graph in stage.graphs]

    def boxes(self, region: Region) -> int:
        """The least number of boxes of a region, for the eqns and groups directly in it."""
        shown = self._shown(region[0], *self._bounds(region))
        for one in self._inner_groups(region):
            if one.start < one.stop:
                shown -= self._shown(region[0], one.start, one.stop) - 1
        return min(shown, self._most)

    def _shown(self, graph: int, start: int, stop: int) -> int:
        unseen = self._unseen[graph]
        return stop - start - unseen[stop] + unseen[start]

    def inside(self, region: Region, repeats: bool) -> Iterator[tuple[Region, int]]:
        """The regions that can be opened within a region, and how many boxes each adds. Without
        `repeats`, no long row, and of groups that repeat one another the first alone."""
        graph, group = region
        inner = self._groups[graph].get(group, [])
        for index in inner if repeats else first_of_each(self._graphs[graph], inner):
            if not repeats and self._is_long_row(graph, index):
                continue
            # A group and its twin open together and count once, wherever the twin stands.
            more = self.boxes((graph, index))
            yield (graph, index), more
            for partner in self._partners[graph].get(index, ()):
                yield (graph, partner), more
        for eqn in self._eqns(region):
            beside = len(eqn.bodies) if len(eqn.bodies) > 1 else 0
            for body in eqn.bodies:
                yield (body.graph, WHOLE), beside + self.boxes((body.graph, WHOLE))

    def _is_long_row(self, graph: int, index: int) -> bool:
        is_row = self._graphs[graph].groups[index].kind == "repeat"
        return is_row and self._layers[graph][index] > MOST_REPEATS

    def rows(self, opened: set[Region]) -> set[Region]:
        """The repeats directly in open regions, and the sections of those repeats."""
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

    def _inner_groups(self, region: Region) -> list[schema.Group]:
        graph, group = region
        return [self._graphs[graph].groups[one] for one in self._groups[graph].get(group, ())]

    def _eqns(self, region: Region) -> Iterator[schema.Eqn]:
        """The eqns directly in a region that have bodies."""
        at, stop = self._bounds(region)
        eqns = self._graphs[region[0]].eqns
        for one in sorted(self._inner_groups(region), key=lambda group: group.start):
            yield from (eqn for eqn in eqns[at : one.start] if eqn.bodies)
            at = max(at, one.stop)
        yield from (eqn for eqn in eqns[at:stop] if eqn.bodies)


def first_of_each(graph: schema.Graph, groups: list[int]) -> Iterator[int]:
    """These groups, but of those that are alike only the one that begins first."""
    seen: set[int] = set()
    for index in sorted(groups, key=lambda index: graph.groups[index].start):
        alike = graph.groups[index].alike
        if alike not in seen:
            yield index
        if alike >= 0:
            seen.add(alike)


def unseen_before(graph: schema.Graph, constant: tuple[str, ...]) -> list[int]:
    """For each n from 0, how many of the graph's first n eqns may have no box."""
    if not constant:
        return [0] * (len(graph.eqns) + 1)
    return [*accumulate((eqn.op.endswith(constant) for eqn in graph.eqns), initial=0)]


def by_parent(graph: schema.Graph) -> dict[int, list[int]]:
    """The indices of the groups directly in each group, and of those in none under `WHOLE`."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(graph.groups):
        found[WHOLE if group.parent is None else group.parent].append(index)
    return found


def layers(graph: schema.Graph) -> list[int]:
    """The number of groups directly in each group; groups in its sections count in place of these.
    So a row has as many as it has layers."""
    found = [0] * len(graph.groups)
    for index in reversed(range(len(found))):
        group = graph.groups[index]
        if group.parent is not None:
            found[group.parent] += (found[index] if group.kind == "section" else 0) or 1
    return found


def partners(graph: schema.Graph) -> dict[int, list[int]]:
    """For each group the others that open with it: a forward group and its derivatives."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(graph.groups):
        if group.role == "backward" and group.twin is not None:
            found[group.twin].append(index)
            found[index].append(group.twin)
    return found
