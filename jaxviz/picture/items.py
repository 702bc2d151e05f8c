"""What stands as one box: inputs, eqns, groups, bodies, outputs. As `js/src/model/outline.ts`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jaxviz import schema
from jaxviz.picture.describe import LABEL, label_of, note_of
from jaxviz.picture.family import family_of
from jaxviz.picture.measure import head, one_line, tail
from jaxviz.picture.pytree import branches

MOST_BINDERS = 12
"""More inputs (or outputs) of a graph than this are gathered by their pytree."""


@dataclass(frozen=True)
class Item:
    """A box of the picture. `graph` is the index of the graph whose variables it binds."""

    kind: str
    """`eqn`, `body`, `group`, `input` or `output`."""
    graph: int
    label: str
    takes: tuple[int, ...]
    makes: tuple[int, ...]
    note: str = ""
    family: str = ""
    count: int = 0
    """Eqns inside with all their bodies, or gathered leaves."""
    span: range = range(0)
    """The eqns of its graph that it covers."""
    body: int = 0
    group: int | None = None

    @property
    def is_pill(self) -> bool:
        return self.kind in ("input", "output")

    @property
    def foldable(self) -> bool:
        return self.count > 0


class Outline:
    """The items of a stage. At most `most` of a kind stand in one graph or group; the others are
    gathered into one, so that no picture is endless."""

    def __init__(self, stage: schema.Stage, most: int) -> None:
        self.stage = stage
        self.most = most

    def of_graph(self, graph: int) -> list[Item]:
        record = self.stage.graphs[graph]
        consts = [record.vars[var].name for var in record.constvars]
        return [
            *self._binders(graph, "input", record.constvars, consts),
            *self._binders(graph, "input", record.invars, record.args),
            *self._run(graph, None, range(len(record.eqns))),
            *self._binders(graph, "output", record.outvars, record.results),
        ]

    def inside(self, item: Item) -> list[Item]:
        """What an item holds. One body stands for its eqn."""
        if item.kind == "group":
            return self._run(item.graph, item.group, item.span)
        eqn = self.stage.graphs[item.graph].eqns[item.span[0]] if item.span else None
        if eqn is None or not eqn.bodies:
            return []
        if item.kind == "body" or len(eqn.bodies) == 1:
            return self.of_graph(eqn.bodies[item.body].graph)
        return [self._body(item, eqn, number) for number in range(len(eqn.bodies))]

    def _body(self, item: Item, eqn: schema.Eqn, number: int) -> Item:
        body = eqn.bodies[number]
        takes = dict.fromkeys(eqn.invars[i] for i in body.inputs if i >= 0)
        makes = dict.fromkeys(eqn.outvars[i] for i in body.outputs if i >= 0)
        record = self.stage.graphs[item.graph]
        return Item(
            kind="body",
            graph=item.graph,
            label=head(one_line(body.label), LABEL) or "·",
            takes=tuple(var for var in takes if not record.vars[var].literal),
            makes=tuple(makes),
            family=item.family,
            count=self.totals[body.graph],
            span=item.span,
            body=number,
        )

    def _run(self, graph: int, parent: int | None, span: range) -> list[Item]:
        """The eqns of a run, with groups in place of what they cover."""
        groups = self.stage.graphs[graph].groups
        starts = {group.start: i for i, group in enumerate(groups) if group.parent == parent}
        items: list[Item] = []
        at = span.start
        while at < span.stop:
            if len(items) == self.most - 1:
                rest = range(at, span.stop)
                items.append(self._gather(graph, "…", rest, None))
                break
            index = starts.get(at)
            if index is not None and groups[index].stop > at:
                run = range(at, groups[index].stop)
                items.append(self._gather(graph, groups[index].name, run, index))
                at = run.stop
            else:
                items.append(self._eqn(graph, at))
                at += 1
        return items

    def _eqn(self, graph: int, index: int) -> Item:
        record = self.stage.graphs[graph]
        eqn = record.eqns[index]
        return Item(
            kind="eqn",
            graph=graph,
            label=label_of(eqn),
            takes=tuple(dict.fromkeys(v for v in eqn.invars if not record.vars[v].literal)),
            makes=tuple(eqn.outvars),
            note=note_of(record, eqn),
            family=family_of(eqn.op, len(eqn.bodies)),
            count=sum(self.totals[body.graph] for body in eqn.bodies),
            span=range(index, index + 1),
        )

    def _gather(self, graph: int, name: str, span: range, group: int | None) -> Item:
        record = self.stage.graphs[graph]
        eqns = record.eqns[span.start : span.stop]
        made = dict.fromkeys(var for eqn in eqns for var in eqn.outvars)
        taken = dict.fromkeys(var for eqn in eqns for var in eqn.invars)
        last = self._last_use[graph]
        inside = sum(self.totals[body.graph] for eqn in eqns for body in eqn.bodies)
        return Item(
            kind="group",
            graph=graph,
            label=head(one_line(name), LABEL) or "·",
            takes=tuple(v for v in taken if v not in made and not record.vars[v].literal),
            makes=tuple(v for v in made if last[v] >= span.stop),
            count=len(eqns) + inside,
            span=span,
            group=group,
        )

    def _binders(self, graph: int, kind: str, variables: list[int], paths: list[str]) -> list[Item]:
        record = self.stage.graphs[graph]
        names = [path or record.vars[v].name for path, v in zip(paths, variables, strict=True)]
        leaves = [(name, [i]) for i, name in enumerate(names)]
        if len(leaves) > MOST_BINDERS:
            leaves = branches(paths) if any(paths) else [("", list(range(len(paths))))]
        if len(leaves) > self.most:
            rest = [i for _, indices in leaves[self.most - 1 :] for i in indices]
            leaves = [*leaves[: self.most - 1], (f"… {len(rest):,} more", rest)]
        return [self._binder(graph, kind, name, [variables[i] for i in indices], names[indices[0]])
                for name, indices in leaves]  # fmt: skip

    def _binder(self, graph: int, kind: str, name: str, variables: list[int], leaf: str) -> Item:
        record = self.stage.graphs[graph]
        bound = tuple(v for v in dict.fromkeys(variables) if not record.vars[v].literal)
        single = len(variables) == 1
        label = leaf if single else name or f"{kind}s"
        return Item(
            kind=kind,
            graph=graph,
            label=tail(one_line(label), LABEL) or "·",
            takes=bound if kind == "output" else (),
            makes=bound if kind == "input" else (),
            note="" if single else f"×{len(variables):,}",
        )

    @cached_property
    def totals(self) -> list[int]:
        """Eqns of each graph with all its bodies, a shared body counted wherever it is held."""
        graphs = self.stage.graphs
        held = [[b.graph for eqn in graph.eqns for b in eqn.bodies] for graph in graphs]
        total = [0] * len(graphs)
        entered = [False] * len(graphs)
        stack = list(range(len(graphs)))
        while stack:
            at = stack[-1]
            missing = [body for body in held[at] if not entered[body]]
            entered[at] = True
            if missing:
                stack += missing
                continue
            stack.pop()
            total[at] = len(graphs[at].eqns) + sum(total[body] for body in held[at])
        return total

    @cached_property
    def _last_use(self) -> list[list[int]]:
        """Of each graph's variables the last eqn that uses it; past the last for results."""
        found: list[list[int]] = []
        for graph in self.stage.graphs:
            last = [-1] * len(graph.vars)
            for index, eqn in enumerate(graph.eqns):
                for var in eqn.invars:
                    last[var] = index
            for var in graph.outvars:
                last[var] = len(graph.eqns)
            found.append(last)
        return found
