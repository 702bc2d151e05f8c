"""Reduces a program to the content of its static picture, for the drawing engine.

The picture stays the same, and much less is sent: a few thousand of 50,000 eqns, two thousand of
60,000 instructions of HLO. A picture opens what the page opens at first, within a budget of boxes;
`js/src/state/first-view.ts` alone decides it. `openable` excludes regions that cannot be open: a
group or a body that exceeds the budget even if only the regions around it are open. Closed regions
are reduced:

- A closed body becomes a count of its operations.
- In a closed group one eqn remains for each operation whose results are used outside. The first one
  takes all inputs of the group, and gets a further body, a count of the missing eqns. In a row one
  eqn or more remains for each layer with such a count, since the page counts layers and their eqns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import accumulate, pairwise

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.schema.opening import BROADCASTS, FIRST_BOXES, MOST_REPEATS
from jaxviz.schema.smaller import (
    CountedBody,
    CountedEqn,
    CountedGraph,
    Crossing,
    Cut,
    Cuts,
    Keep,
    Part,
    smaller,
)

CONSTANT = ("constant", *BROADCASTS)
"""Operations of later stages that may have no box, since their users name them."""

Region = tuple[int, int]
"""The content of an open box: the index of a graph, and the index of its group or `WHOLE`."""
WHOLE = -1
"""Stands for the whole graph in place of a group."""


def openable(
    stage: schema.Stage, opening: schema.Opening, most: int
) -> tuple[set[Region], set[Region]]:
    """The regions that may be open if a region shows at most `most` eqns and groups; and the rows
    in them (repeats and their sections), which show their number of layers also if closed."""
    chosen = opening.depth is not None or opening.boxes is not None
    regions = Regions(stage, most)
    found: set[Region] = set()
    # Each region with the fewest boxes of a picture in which it is open: its own, and those of the
    # regions around it.
    waiting = [(regions.boxes((0, WHOLE)), (0, WHOLE))]
    while waiting:
        boxes, region = heappop(waiting)
        if region in found:
            continue
        found.add(region)
        # The page opens an item that is alone in its place beyond the limit, too: one box says
        # nothing about the program.
        is_one_box = regions.boxes(region) <= 1
        repeats = chosen or is_one_box
        for inner, more in regions.inside(region, repeats) if boxes <= FIRST_BOXES else ():
            if is_one_box or boxes + more <= FIRST_BOXES:
                heappush(waiting, (boxes + more, inner))
    return found, regions.rows(found)


class Regions:
    """The numbers of boxes in the regions of a stage, and the nesting of regions."""

    def __init__(self, stage: schema.Stage, most: int) -> None:
        constant = () if stage.kind == "jaxpr" else CONSTANT
        self._most = most
        self._graphs = stage.graphs
        self._unseen = [unseen_before(graph, constant) for graph in stage.graphs]
        self._groups = [by_parent(graph) for graph in stage.graphs]
        self._partners = [partners(graph) for graph in stage.graphs]
        self._layers = [layers(graph) for graph in stage.graphs]

    def boxes(self, region: Region) -> int:
        """The least number of boxes of a region: of the eqns and groups directly in it."""
        shown = self._shown(region[0], *self._bounds(region))
        for one in self._inner_groups(region):
            if one.start < one.stop:
                shown -= self._shown(region[0], one.start, one.stop) - 1
        return min(shown, self._most)

    def _shown(self, graph: int, start: int, stop: int) -> int:
        unseen = self._unseen[graph]
        return stop - start - unseen[stop] + unseen[start]

    def inside(self, region: Region, repeats: bool) -> Iterator[tuple[Region, int]]:
        """The regions that can be opened within a region, and the boxes that each adds. If
        `repeats` is False, without long rows and without groups that repeat an earlier group."""
        graph, group = region
        inner = self._groups[graph].get(group, [])
        for index in inner if repeats else first_of_each(self._graphs[graph], inner):
            if not repeats and self._is_long_row(graph, index):
                continue
            # A group and its backward counterpart open together and count once.
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
    """These groups, and of groups that are alike only the first."""
    seen: set[int] = set()
    for index in sorted(groups, key=lambda index: graph.groups[index].start):
        alike = graph.groups[index].alike
        if alike not in seen:
            yield index
        if alike >= 0:
            seen.add(alike)


def unseen_before(graph: schema.Graph, constant: tuple[str, ...]) -> list[int]:
    """For each n from 0, the number of the graph's first n eqns that may have no box."""
    if not constant:
        return [0] * (len(graph.eqns) + 1)
    return [*accumulate((eqn.op.endswith(constant) for eqn in graph.eqns), initial=0)]


def by_parent(graph: schema.Graph) -> dict[int, list[int]]:
    """The indices of the groups directly in each group, and of outermost groups under `WHOLE`."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, group in enumerate(graph.groups):
        found[WHOLE if group.parent is None else group.parent].append(index)
    return found


def layers(graph: schema.Graph) -> list[int]:
    """The number of groups directly in each group, where a section counts as the groups in it. For
    a row this is the number of its layers."""
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


UNSEEN = ("Program.listings", "Program.findings", "Stage.text", "Eqn.origin")
"""Fields that no picture shows. Only a profile shows times, as colours of all eqns. Eqns without
costs that nothing uses are unused."""
Kind = tuple[str, str, tuple[int, ...]]
"""The facts of an eqn that a closed box shows: its operation, its name and its bodies' graphs."""


def drawable(record: schema.Program, opening: schema.Opening, most: int) -> schema.Program:
    """The program with one stage, reduced to the content of its picture.

    `opening` chooses what is open. A region shows at most `most` eqns and groups. Comparisons stay
    whole. Raises ValueError if the program has no graph."""
    stage = stage_to_draw(record, opening.stage or "jaxpr")
    if record.compared is not None:
        return whole(record, stage)
    return smaller(
        without_places(record),
        Keep(
            stages=(stage.kind,),
            without=(*UNSEEN, "Stage.times"),
            cuts=lambda stage: Closing(stage.graphs, *opened_of(stage, opening, most)).cuts(),
        ),
    )


def whole(record: schema.Program, stage: schema.Stage) -> schema.Program:
    """The program with one stage, and all of its eqns and groups."""
    return smaller(without_places(record), Keep(stages=(stage.kind,), without=UNSEEN))


def without_places(record: schema.Program) -> schema.Program:
    """The program with frames that only say if they are of a library, which a first view depends
    on."""
    of = {is_library: replace(PLACE, library=is_library) for is_library in (False, True)}
    stages = [
        replace(stage, frames=[of[frame.library] for frame in stage.frames])
        for stage in record.stages
    ]
    return replace(record, stages=stages)


PLACE = schema.empty(schema.Frame)


def stage_to_draw(record: schema.Program, kind: str | None = None) -> schema.Stage:
    """The stage of this kind, else the first stage with a graph. Raises ValueError if none has
    one."""
    stages = [stage for stage in record.stages if stage.graphs]
    if not stages:
        raise ValueError(f"there is no graph to draw of {record.name!r}: save it as .json.")
    return next((stage for stage in stages if stage.kind == kind), stages[0])


def opened_of(
    stage: schema.Stage, opening: schema.Opening, most: int
) -> tuple[set[Region], set[Region]]:
    """The regions that are not reduced, since they can be open; and the rows. In later stages these
    are the whole graphs of such regions and all graphs around them, since a box there may name
    distant eqns (constants)."""
    opened, rows = openable(stage, opening, most)
    if stage.kind == "jaxpr":
        return opened, rows
    opened |= rows
    around: dict[int, int] = {}
    for number, graph in enumerate(stage.graphs):
        for eqn in graph.eqns:
            for body in eqn.bodies:
                around.setdefault(body.graph, number)
    seen = {graph for graph, _ in opened}
    waiting = [*seen]
    for graph in waiting:
        holder = around.get(graph, graph)
        if holder not in seen:
            seen.add(holder)
            waiting.append(holder)
    groups = {number: range(WHOLE, len(stage.graphs[number].groups)) for number in seen}
    return {(number, group) for number in seen for group in groups[number]}, set()


class Closing:
    """Reduces the closed regions of a stage. The graphs keep their numbers. After them come the
    graphs that count the missing eqns of closed groups."""

    def __init__(self, graphs: list[schema.Graph], opened: set[Region], rows: set[Region]) -> None:
        self._whole = graphs
        self._opened = opened
        self._rows = rows
        self._others: list[CountedGraph] = []

    def cuts(self) -> Cuts:
        """The remaining eqns of each graph."""
        graphs = range(len(self._whole))
        drawn = {at: self._cut(at) for at in graphs if (at, WHOLE) in self._opened}
        closed = {at: counted(kinds(self._whole[at].eqns)) for at in graphs if at not in drawn}
        return Cuts(drawn, closed | dict(enumerate(self._others, len(graphs))))

    def _cut(self, number: int) -> Cut:
        graph = self._whole[number]
        sent, closed = self._sent_and_closed(number)
        crossing = Crossing(graph)
        parts: list[Part] = []
        for borders in sorted(closed.values()):
            remaining = self._remaining(graph.eqns, borders, *crossing.of(borders[0], borders[-1]))
            for low, high in pairwise(borders):
                inside = [remaining[at] for at in range(low, high) if at in remaining]
                parts.append(Part(low, high, inside))
        return Cut(parts, sent, [*closed])

    def _sent_and_closed(self, number: int) -> tuple[list[int], dict[int, list[int]]]:
        """The groups of a graph that are sent; and the closed ones among them, each with its sorted
        borders: the indices at which it begins and ends, and in a row those of each layer."""
        sent: list[int] = []
        opened = {WHOLE}
        row_of: dict[int, int] = {}
        """The closed row of each row and section in it."""
        borders: dict[int, set[int]] = {}
        for index, group in enumerate(self._whole[number].groups):
            outer = WHOLE if group.parent is None else group.parent
            if outer not in opened and outer not in row_of:
                continue
            sent.append(index)
            if outer in opened and (number, index) in self._opened:
                opened.add(index)
                continue
            row = row_of.get(outer, index)
            borders.setdefault(row, set()).update((group.start, group.stop))
            if (number, index) in self._rows:
                row_of[index] = row
        return sent, {index: sorted(found) for index, found in borders.items()}

    def _remaining(
        self, eqns: list[schema.Eqn], borders: list[int], inputs: list[int], outputs: set[int]
    ) -> dict[int, schema.Eqn]:
        """The eqns that replace those of a closed group, by index. For each operation that makes
        some of the `outputs`, its first eqn remains, and gets all that the operation makes. If none
        remains between two `borders`, the first eqn there remains. One of them takes all `inputs`.
        Between two borders the first one has the count of the eqns that are missing there."""
        first: dict[str, int] = {}
        made: dict[int, list[int]] = {}
        for at in range(borders[0], borders[-1]):
            found = [var for var in eqns[at].outvars if var in outputs]
            if found:
                made.setdefault(first.setdefault(eqns[at].op, at), []).extend(found)
        for low, high in pairwise(borders):
            if made.keys().isdisjoint(range(low, high)):
                made[low] = []
        main = next(iter(made), -1)
        remaining: dict[int, schema.Eqn] = {}
        for low, high in pairwise(borders):
            others = [eqns[at] for at in range(low, high) if at not in made]
            rest = [self._count(kinds(others))] if others else []
            for at in sorted(made.keys() & range(low, high)):
                taken = inputs if at == main else []
                remaining[at], rest = crossed(eqns[at], rest, taken, made[at]), []
        return remaining

    def _count(self, found: Counter[Kind]) -> int:
        """The number of a new graph that counts these eqns. Equal counts get separate graphs: a
        shared graph would count once for both groups."""
        self._others.append(counted(found))
        return len(self._whole) + len(self._others) - 1


def kinds(eqns: list[schema.Eqn]) -> Counter[Kind]:
    return Counter(
        [
            (eqn.op, eqn.name, tuple([body.graph for body in eqn.bodies]) if eqn.bodies else ())
            for eqn in eqns
        ]
    )


def counted(found: Counter[Kind]) -> CountedGraph:
    eqns = [
        CountedEqn(op, name, [CountedBody(graph) for graph in bodies]) for op, name, bodies in found
    ]
    return CountedGraph(eqns, [*found.values()])


def crossed(
    eqn: schema.Eqn, rest: list[int], invars: Sequence[int], outvars: Sequence[int]
) -> schema.Eqn:
    """An eqn of a closed group with these operands and results. Its further bodies are the graphs
    `rest`, which count the missing eqns."""
    more = [schema.Body(label="", graph=graph, inputs=(), outputs=()) for graph in rest]
    bodies = (*eqn.bodies, *more)
    operands, results = tuple(invars), tuple(outvars)
    return replace(
        eqn, invars=operands, outvars=results, roles=(), params=(), bodies=bodies, was=()
    )
