"""What an item holds: inputs, eqns, groups, bodies, outputs. As `js/src/facts/outline.ts`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from jaxviz import schema
from jaxviz.picture.model.describe import label_of
from jaxviz.picture.model.detail import detail_of, is_free
from jaxviz.picture.model.elements import Holder, argument_of, holders_of
from jaxviz.picture.model.family import family_in
from jaxviz.picture.model.graph import Flow, flow_of, members_of, totals_of
from jaxviz.picture.model.ids import (
    ROOT,
    binder_id,
    body_id,
    eqn_id,
    gathered_id,
    group_id,
    parse,
)
from jaxviz.picture.model.literals import literals_in
from jaxviz.picture.model.pytree import branches

MOST_BINDERS = 8
"""More inputs (or outputs) of a graph than this are gathered by their pytree."""

_KIND = {"in": "input", "out": "output", "const": "const"}
_PLURAL = {"in": "inputs", "out": "outputs", "const": "constants"}


@dataclass(frozen=True)
class Item:
    """Something that stands as one box until it is opened."""

    id: str
    kind: str
    """`eqn`, `body`, `group`, `gathered`, `input`, `output` or `const`."""
    label: str
    detail: str = ""
    """What distinguishes it, or empty."""
    family: str | None = None
    count: int = 0
    """Eqns inside with all their bodies, or leaves that were gathered; 0 for a plain eqn."""
    foldable: bool = False
    free: bool = False
    """It does nothing when it runs, and is drawn small: a tuple, a constant."""
    start: int = 0
    stop: int = 0
    """Eqns `[start, stop)` of its graph that it covers; an empty range for binders."""
    vars: tuple[int, ...] = ()
    """The vars of its graph that it binds or returns; empty for eqns and groups."""

    @property
    def is_output(self) -> bool:
        if self.kind != "gathered":
            return self.kind == "output"
        return parse(self.id)[1].binder == "out"


class Outline:
    """The items of a stage, and what is looked up in it often."""

    def __init__(self, stage: schema.Stage) -> None:
        self.stage = stage
        self._paths: dict[str, schema.Graph] = {ROOT: stage.graphs[0]}
        self._children: dict[str, list[Item]] = {}
        self._flows: dict[int, Flow] = {}
        self._literals: dict[int, Mapping[int, str]] = {}

    def graph_at(self, path: str) -> schema.Graph:
        """The graph of a body, or of the whole program."""
        missing: list[str] = []
        at = path
        while at not in self._paths:
            missing.append(at)
            at = parse(at)[0]
        graph = self._paths[at]
        for one in reversed(missing):
            step = parse(one)[1]
            graph = self.stage.graphs[graph.eqns[step.eqn].bodies[step.index].graph]
            self._paths[one] = graph
        return graph

    def flow(self, graph: schema.Graph) -> Flow:
        known = self._flows.get(id(graph))
        if known is None:
            known = self._flows[id(graph)] = flow_of(graph)
        return known

    def children(self, id: str) -> list[Item]:
        """What an item holds, in order: inputs, then eqns and groups, then outputs."""
        known = self._children.get(id)
        if known is None:
            known = self._children[id] = self._made(id)
        return known

    def drawn(self, id: str) -> list[Item]:
        """What of it has a box: all but the constants that are written on their users."""
        items = self.children(id)
        if self.stage.kind == "jaxpr" or not items:
            return items
        graph = self.graph_at(parse(items[0].id)[0])
        written = self.literals(graph)
        return [
            item
            for item in items
            if item.kind != "eqn" or not written.keys() & graph.eqns[item.start].outvars
        ]

    def literals(self, graph: schema.Graph) -> Mapping[int, str]:
        """For each var that is written on the boxes of its users the text."""
        if self.stage.kind == "jaxpr":
            return {}
        known = self._literals.get(id(graph))
        if known is None:
            spread = self.stage.kind == "stablehlo" or id(graph) in self._fused
            known = literals_in(graph, self.flow(graph).users, spread)
            self._literals[id(graph)] = known
        return known

    @cached_property
    def _fused(self) -> set[int]:
        """The bodies of fusions: nothing in them is in memory but what they return."""
        graphs = self.stage.graphs
        eqns = (eqn for graph in graphs for eqn in graph.eqns if eqn.op == "fusion")
        return {id(graphs[eqn.bodies[0].graph]) for eqn in eqns if eqn.bodies}

    def _made(self, id: str) -> list[Item]:
        if id == ROOT:
            return self._of_graph(self.stage.graphs[0], ROOT)
        path, step = parse(id)
        if step.kind == "body":
            return self._of_graph(self.graph_at(id), id)
        graph = self.graph_at(path)
        if step.kind == "eqn":
            return self._of_eqn(graph.eqns[step.index], path, step.index)
        if step.kind == "group":
            group = graph.groups[step.index]
            return self._run(graph, path, step.index, group.start, group.stop)
        return []

    def _of_graph(self, graph: schema.Graph, path: str) -> list[Item]:
        return [
            *self._binders(graph, path, "const"),
            *self._binders(graph, path, "in"),
            *self._run(graph, path, None, 0, len(graph.eqns)),
            *self._binders(graph, path, "out"),
        ]

    def _of_eqn(self, eqn: schema.Eqn, path: str, index: int) -> list[Item]:
        """One body stands for its eqn: what it holds is what the eqn holds."""
        if len(eqn.bodies) == 1:
            return self.children(body_id(path, index, 0))
        return [
            Item(
                id=body_id(path, index, number),
                kind="body",
                label=body.label,
                family=family_in(self.stage, eqn),
                count=self.totals[body.graph],
                foldable=True,
                start=index,
                stop=index + 1,
            )
            for number, body in enumerate(eqn.bodies)
        ]

    def _run(
        self, graph: schema.Graph, path: str, parent: int | None, start: int, stop: int
    ) -> list[Item]:
        """Eqns `[start, stop)` with the groups whose parent is `parent` in place of what they
        cover."""
        starts = {group.start: i for i, group in enumerate(graph.groups) if group.parent == parent}
        items: list[Item] = []
        at = start
        while at < stop:
            found = starts.get(at)
            if found is not None and graph.groups[found].stop > at:
                items.append(self._group(graph, path, found))
                at = graph.groups[found].stop
            else:
                items.append(self._eqn(graph, path, at))
                at += 1
        return items

    def _eqn(self, graph: schema.Graph, path: str, index: int) -> Item:
        eqn = graph.eqns[index]
        label, detail = label_of(eqn), self._detail(graph, eqn)
        if eqn.op == "fusion":
            # What it was made from tells the most.
            label, detail = f"{eqn.op} {detail}", eqn.name
        return Item(
            id=eqn_id(path, index),
            kind="eqn",
            label=label,
            detail=detail,
            family=family_in(self.stage, eqn),
            count=self._inside(eqn),
            foldable=bool(eqn.bodies),
            free=is_free(eqn.op),
            start=index,
            stop=index + 1,
        )

    def _detail(self, graph: schema.Graph, eqn: schema.Eqn) -> str:
        detail = detail_of(self.stage, graph, eqn)
        if eqn.op != "get-tuple-element":
            return detail
        number = self._numbers[id(graph)]
        argument = argument_of(self.stage, number, eqn, self._holders, self._made_by)
        return f"{detail} {argument}".strip()

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(graph): number for number, graph in enumerate(self.stage.graphs)}

    @cached_property
    def _holders(self) -> dict[int, Holder]:
        return holders_of(self.stage)

    def _made_by(self, number: int, var: int) -> schema.Eqn | None:
        graph = self.stage.graphs[number]
        at = self.flow(graph).producer[var]
        return graph.eqns[at] if at >= 0 else None

    def _group(self, graph: schema.Graph, path: str, index: int) -> Item:
        group = graph.groups[index]
        return Item(
            id=group_id(path, index),
            kind="group",
            label=group.name,
            detail=f"×{members_of(graph, index):,}" if group.kind == "repeat" else "",
            count=sum(1 + self._inside(eqn) for eqn in graph.eqns[group.start : group.stop]),
            foldable=True,
            start=group.start,
            stop=group.stop,
        )

    def _inside(self, eqn: schema.Eqn) -> int:
        return sum(self.totals[body.graph] for body in eqn.bodies)

    def _binders(self, graph: schema.Graph, path: str, binder: str) -> list[Item]:
        variables, paths = binders_of(graph, binder)
        if len(variables) <= MOST_BINDERS:
            return [self._binder(graph, path, binder, index) for index in range(len(variables))]
        items: list[Item] = []
        for prefix, leaves in branches(paths):
            if len(leaves) == 1:
                items.append(self._binder(graph, path, binder, leaves[0]))
                continue
            items.append(
                Item(
                    id=gathered_id(path, binder, prefix),
                    kind="gathered",
                    label=prefix or _PLURAL[binder],
                    count=len(leaves),
                    foldable=prefix != "",
                    vars=tuple(variables[leaf] for leaf in leaves),
                )
            )
        return items

    def _binder(self, graph: schema.Graph, path: str, binder: str, index: int) -> Item:
        variables, paths = binders_of(graph, binder)
        variable = variables[index]
        return Item(
            id=binder_id(path, binder, index),
            kind=_KIND[binder],
            label=paths[index] or graph.vars[variable].name or "_",
            vars=(variable,),
        )

    @cached_property
    def totals(self) -> list[int]:
        """Eqns of each graph with all its bodies, a shared body counted wherever it is held."""
        return totals_of(self.stage)


def binders_of(graph: schema.Graph, binder: str) -> tuple[list[int], list[str]]:
    """The vars and the user's paths of a graph's inputs, outputs or consts."""
    if binder == "in":
        return graph.invars, graph.args
    if binder == "out":
        return graph.outvars, graph.results
    return graph.constvars, [""] * len(graph.constvars)


def group_of(graph: schema.Graph, item: Item) -> schema.Group | None:
    return graph.groups[parse(item.id)[1].index] if item.kind == "group" else None
