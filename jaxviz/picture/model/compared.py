"""How two programs differ, by the items of the stage that holds both. As
`js/src/model/compared/`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jaxviz import schema
from jaxviz.picture.model.graph import innermost_first
from jaxviz.picture.model.ids import ROOT, parse
from jaxviz.picture.model.outline import Item, Outline


class Kind(NamedTuple):
    name: str
    sign: str
    """Stands for it where colour alone would not do."""
    label: str


KINDS = (
    Kind("added", "+", "added"),
    Kind("removed", "−", "removed"),
    Kind("changed", "~", "changed"),
    Kind("retyped", ":", "types changed"),
)
ADDED, REMOVED, CHANGED, RETYPED, SAME = range(5)
"""Indices into `KINDS`, and what is the same in both."""
ABSENT = "absent"
"""What is written for an input or a result that one of the programs does not have."""
_NUMBERS = {kind.name: number for number, kind in enumerate(KINDS)}


class Differences:
    """`stage` is the one stage of a program that was made from two."""

    def __init__(self, compared: schema.Compared, stage: schema.Stage) -> None:
        self.compared = compared
        self._stage = stage
        self._numbers = {id(graph): number for number, graph in enumerate(stage.graphs)}
        self._kinds = _kinds_of(compared, stage)
        self._totals: list[list[int]] = [[0] * (SAME + 1) for _ in stage.graphs]
        for number in innermost_first(stage):
            self._totals[number] = self._sum(number, 0, len(stage.graphs[number].eqns))
        first = stage.graphs[0]
        ends = zip([*first.outvars, *first.invars], [*first.results, *first.args], strict=True)
        changes = {change.where: _kind_of_end(change) for change in compared.inputs}
        self._ends = {var: changes[path] for var, path in ends if path in changes}
        self.results = set(first.results)
        """The paths of what the programs return."""

    @property
    def same(self) -> bool:
        return not self.compared.marks and not self.compared.inputs

    @property
    def loud(self) -> bool:
        """Whether more differs than types."""
        return any(mark.kind != KINDS[RETYPED].name for mark in self.compared.marks)

    def counts(self) -> list[int]:
        """Eqns of each kind, each once."""
        names = [mark.kind for mark in self.compared.marks]
        return [names.count(kind.name) for kind in KINDS]

    def held(self, outline: Outline, item: Item) -> list[int]:
        """Eqns of each kind that an item stands for: itself, and what it holds."""
        path, step = parse(item.id)
        number = self._numbers[id(outline.graph_at(path))]
        if step.kind == "body":
            body = self._stage.graphs[number].eqns[step.eqn].bodies[step.index]
            return self._totals[body.graph]
        return self._sum(number, item.start, item.stop)

    def kind(self, outline: Outline, item: Item, opened: bool) -> int:
        """The kind of an item. What was added or removed was so with all that is in it; of what is
        open the rest is told by what is in it."""
        path = parse(item.id)[0]
        if item.start == item.stop:
            kinds = {self._ends.get(var, SAME) for var in item.vars if path == ROOT} or {SAME}
            return kinds.pop() if len(kinds) == 1 else CHANGED
        own = SAME
        if item.kind == "eqn":
            own = self._kinds[self._numbers[id(outline.graph_at(path))]][item.start]
        if own in (ADDED, REMOVED) or not item.foldable or (opened and own != SAME):
            return own
        kind = _kind_of_held(self.held(outline, item))
        return kind if not opened or kind in (ADDED, REMOVED) else SAME

    def _sum(self, number: int, start: int, stop: int) -> list[int]:
        kinds = self._kinds[number]
        found = [0] * (SAME + 1)
        for at in range(start, stop):
            found[kinds[at]] += 1
            for body in self._stage.graphs[number].eqns[at].bodies:
                for kind, count in enumerate(self._totals[body.graph]):
                    found[kind] += count
        return found


def _kinds_of(compared: schema.Compared, stage: schema.Stage) -> list[list[int]]:
    """By graph the kind of each eqn."""
    marks = {mark.eqn: _NUMBERS.get(mark.kind, SAME) for mark in compared.marks}
    kinds: list[list[int]] = []
    first = 0
    for graph in stage.graphs:
        stop = first + len(graph.eqns)
        kinds.append([marks.get(number, SAME) for number in range(first, stop)])
        first = stop
    return kinds


def _kind_of_end(change: schema.Change) -> int:
    """Of an input or a result."""
    return {change.before: ADDED, change.after: REMOVED}.get(ABSENT, CHANGED)


def is_loud(held: Sequence[int]) -> bool:
    """Whether more than types differs: those do wherever those of the inputs do."""
    return any(held[:RETYPED])


def _kind_of_held(held: Sequence[int]) -> int:
    whole = sum(held)
    if whole == 0:
        return SAME
    if held[ADDED] == whole:
        return ADDED
    if held[REMOVED] == whole:
        return REMOVED
    if is_loud(held):
        return CHANGED
    return RETYPED if held[RETYPED] else SAME


class Told(NamedTuple):
    """A part of the one line that tells how two programs differ."""

    kind: int
    """`SAME` of inputs and results, and where nothing differs."""
    text: str


def told(differences: Differences, eqns: str) -> list[Told]:
    """`2 added`, `1 removed`, `41 types changed`, `1 input differs`; or that nothing differs."""
    if differences.same:
        return [Told(SAME, f"Both programs are the same: {eqns}")]
    found = [
        Told(kind, _counted(count, KINDS[kind].label))
        for kind, count in enumerate(differences.counts())
        if count
    ]
    ends = {
        change.where: change.where in differences.results for change in differences.compared.inputs
    }
    for one, count in (("input", len(ends) - sum(ends.values())), ("result", sum(ends.values()))):
        if count:
            found.append(
                Told(SAME, f"{count:,} {one} differs" if count == 1 else f"{count:,} {one}s differ")
            )
    return found


def _counted(count: int, label: str) -> str:
    return f"{count:,} {label.replace('types', 'type') if count == 1 else label}"
