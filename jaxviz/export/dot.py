"""A program in the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from graphviz import Digraph, escape, nohtml

from jaxviz import schema
from jaxviz.picture import signature
from jaxviz.picture.colours import LIGHT
from jaxviz.picture.layout.caption import ROOM, literals_of, types_of
from jaxviz.picture.layout.measure import head, one_line, tail
from jaxviz.picture.model.describe import label_of
from jaxviz.picture.model.detail import detail_of
from jaxviz.picture.model.family import family_in

MOST = 500
"""Nodes of a drawing: for a thousand `dot` can take minutes."""
DEEPEST = 40
"""Clusters in one another."""

FEW = 150
"""Edges of a drawing that `dot` may take its time for, with room of their own for their labels."""
QUICK = {"nslimit": "1", "nslimit1": "1"}
"""Rounds of `dot`'s network simplex per node: without a limit it takes a minute for 300 eqns."""
TEXT = {"fontname": "monospace", "fontsize": "10", "fontcolor": "#1c2024"}
FAINT = {"color": "#8f98a3", "fontcolor": "#5b6570", "fontname": "monospace", "fontsize": "9"}


def dot(record: schema.Program) -> str:
    """The program's first stage as a `digraph`.

    A node for each input, eqn and output; clusters for groups and bodies. A dashed edge leads
    from an eqn to each body it holds; a body that several hold is drawn once. Of more than
    `MOST` nodes the outermost are drawn, and the label says so. Raises ValueError where the
    program has no graph to draw.
    """
    stage = next((stage for stage in record.stages if stage.graphs), None)
    if stage is None:
        raise ValueError(f"there is no graph to draw of {record.name!r}: save it as .json.")
    sketch = _Sketch(stage)
    sketch.draw()
    return sketch.finished(
        f"{head(one_line(record.name), ROOM.label)} {signature(record)}", sketch.count()
    ).source


@dataclass
class _Cluster:
    drawn: Digraph
    depth: int
    inner: list[_Cluster] = field(default_factory=list)


class _Sketch:
    """What of a stage is drawn so far. Graphs wait in a queue, so that depth costs no stack."""

    def __init__(self, stage: schema.Stage) -> None:
        self.stage = stage
        self.room = MOST
        self.eqns = 0
        whole = Digraph(
            "program",
            graph_attr={"compound": "true", "labelloc": "t", **TEXT},
            node_attr={"shape": "box", "style": "filled,rounded", "height": "0.3", **TEXT},
            edge_attr={"arrowsize": "0.6", **FAINT},
        )
        self.clusters = [_Cluster(whole, 0)]
        self.waiting = deque([(0, self.clusters[0])])
        self.queued = {0}
        self.first: dict[int, str] = {}
        self.edges: list[tuple[str, str, str]] = []
        self.holds: list[tuple[str, schema.Body]] = []

    def draw(self) -> None:
        while self.waiting and self.room:
            self._graph(*self.waiting.popleft())

    def count(self) -> str:
        total = sum(len(graph.eqns) for graph in self.stage.graphs)
        eqns = f"{total:,} eqn{'' if total == 1 else 's'}"
        if self.room and self.eqns == total:
            return eqns
        return f"{eqns}, too many to draw: these are the outermost {self.eqns:,}"

    def finished(self, title: str, count: str) -> Digraph:
        """The clusters inside one another, from the innermost out, and then all edges."""
        for cluster in reversed(self.clusters):
            for inner in cluster.inner:
                if inner.drawn.body:
                    cluster.drawn.subgraph(inner.drawn)
        whole = self.clusters[0].drawn
        whole.attr(label=_lines(title, count))
        label = "label"
        if len(self.edges) > FEW:
            label = "xlabel"
            whole.graph_attr.update(QUICK)
        for source, target, text in self.edges:
            whole.edge(source, target, **{label: _lines(text)})
        for source, body in self.holds:
            target = self.first.get(body.graph)
            if target:
                text, cluster = _lines(one_line(body.label)), f"cluster_{body.graph}"
                whole.edge(source, target, text, lhead=cluster, style="dashed")
        return whole

    def _graph(self, index: int, cluster: _Cluster) -> None:
        graph = self.stage.graphs[index]
        makers: dict[int, str] = {}
        consts = [""] * len(graph.constvars)
        self._inputs(index, "const", cluster, makers, graph.constvars, consts)
        self._inputs(index, "in", cluster, makers, graph.invars, graph.args)
        self._eqns(index, cluster, makers)
        for i, var in enumerate(graph.outvars):
            name = graph.results[i] or graph.vars[var].name
            node = self._node(index, f"out{i}", cluster, "pill", tail(one_line(name), ROOM.label))
            if node:
                self._edge(graph, makers, var, node)

    def _inputs(
        self,
        index: int,
        kind: str,
        cluster: _Cluster,
        makers: dict[int, str],
        variables: list[int],
        paths: list[str],
    ) -> None:
        graph = self.stage.graphs[index]
        for i, (var, path) in enumerate(zip(variables, paths, strict=True)):
            name = tail(one_line(path or graph.vars[var].name), ROOM.label)
            makers[var] = self._node(index, f"{kind}{i}", cluster, "pill", name)

    def _eqns(self, index: int, cluster: _Cluster, makers: dict[int, str]) -> None:
        graph = self.stage.graphs[index]
        starts: dict[int, list[int]] = {}
        for i, group in enumerate(graph.groups):
            if group.start < group.stop:
                starts.setdefault(group.start, []).append(i)
        opened = [(len(graph.eqns), cluster)]
        for i in range(len(graph.eqns)):
            while opened[-1][0] <= i:
                opened.pop()
            for number in starts.get(i, []):
                group = graph.groups[number]
                name = f"cluster_{index}_{number}"
                inner = self._cluster(opened[-1][1], name, group.name, "group")
                opened.append((group.stop, inner or opened[-1][1]))
            if not self._eqn(index, i, opened[-1][1], makers):
                return

    def _eqn(self, index: int, i: int, cluster: _Cluster, makers: dict[int, str]) -> bool:
        """Whether there was room for it."""
        graph = self.stage.graphs[index]
        eqn = graph.eqns[i]
        family = family_in(self.stage, eqn)
        label = head(one_line(label_of(eqn)), ROOM.label)
        notes = [*literals_of(graph, eqn), detail_of(self.stage, graph, eqn)]
        note = head(one_line(" ".join(filter(None, notes))), ROOM.note)
        node = self._node(index, f"eqn{i}", cluster, family, label, note)
        if not node:
            return False
        self.eqns += 1
        for var in dict.fromkeys(eqn.invars):
            self._edge(graph, makers, var, node)
        makers.update(dict.fromkeys(eqn.outvars, node))
        for body in eqn.bodies:
            self.holds.append((node, body))
            if body.graph in self.queued:
                continue
            title = f"{label} · {body.label}" if len(eqn.bodies) > 1 else label
            inner = self._cluster(cluster, f"cluster_{body.graph}", title, family)
            if inner:
                self.queued.add(body.graph)
                self.waiting.append((body.graph, inner))
        return True

    def _node(
        self, index: int, name: str, cluster: _Cluster, family: str, label: str, note: str = ""
    ) -> str:
        """Its id, of our own making; empty where there is no room for it."""
        if not self.room:
            return ""
        self.room -= 1
        node = f"g{index}_{name}"
        fill, line = LIGHT.paints[family]
        cluster.drawn.node(node, _lines(label, note), fillcolor=fill, color=line)
        self.first.setdefault(index, node)
        return node

    def _cluster(self, outer: _Cluster, name: str, title: str, family: str) -> _Cluster | None:
        if outer.depth == DEEPEST:
            return None
        _, line = LIGHT.paints[family]
        label = _lines(head(one_line(title), ROOM.label))
        drawn = Digraph(name, graph_attr={"label": label, "color": line, "style": "rounded"})
        cluster = _Cluster(drawn, outer.depth + 1)
        outer.inner.append(cluster)
        self.clusters.append(cluster)
        return cluster

    def _edge(self, graph: schema.Graph, makers: dict[int, str], var: int, target: str) -> None:
        source = makers.get(var)
        if source:
            self.edges.append((source, target, types_of(self.stage, graph, [var])))


def _lines(*texts: str) -> str:
    """A label that means these lines and nothing else: no escape, entity or markup of Graphviz."""
    return nohtml(r"\n".join(escape(text.replace("&", "&amp;")) for text in texts if text))
