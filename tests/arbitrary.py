"""Makes random programs: nested graphs and training steps, as `js/test/arbitrary.ts` does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from hypothesis import strategies as st
from msgspec.structs import replace
from samples import eqn, graph, group, program

from jaxviz import schema

OPS = ["add", "dot_general", "reduce_sum", "a_primitive_of_a_very_long_name"]


class Growing:
    """A graph that grows eqn by eqn, so that every operand is made before it is used."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self.values = len(paths)
        self.eqns: list[schema.Eqn] = []
        self.groups: list[schema.Group] = []

    def eqn(self, op: str, operands: list[int], bodies: list[schema.Body] | None = None) -> int:
        """Its result."""
        made = eqn(op, operands, [self.values])
        self.eqns.append(replace(made, bodies=tuple(bodies or ())))
        self.values += 1
        return self.values - 1

    @contextmanager
    def group(
        self, name: str, role: str = "", parent: int | None = None, twin: int | None = None
    ) -> Iterator[int]:
        """A group over the eqns that are grown within."""
        at, start = len(self.groups), len(self.eqns)
        self.groups.append(group(name, start, start, role=role, parent=parent, twin=twin))
        yield at
        self.groups[at] = replace(self.groups[at], stop=len(self.eqns))

    def grown(self) -> schema.Graph:
        """Its last value is its result."""
        names = [f"v{i}" for i in range(self.values)]
        whole = graph(self.eqns, names, len(self.paths), self.paths)
        return replace(whole, groups=self.groups)


def of(graphs: list[schema.Graph]) -> schema.Program:
    bare = program([], ["x"], 1)
    return replace(bare, stages=[replace(bare.stages[0], graphs=graphs)])


@st.composite
def dags(draw: st.DrawFn) -> schema.Program:
    """Graphs that hold one another, each with groups that nest."""
    count = draw(st.integers(1, 4))
    graphs: list[schema.Graph] = []
    for index in reversed(range(count)):
        known = dict(zip(range(index + 1, count), graphs, strict=True))
        graphs.insert(0, draw(graphs_holding(known)))
    return of(graphs)


@st.composite
def graphs_holding(draw: st.DrawFn, known: dict[int, schema.Graph]) -> schema.Graph:
    inputs = draw(st.integers(1, 16))
    growing = Growing([f"params['w{i}']" if i % 3 else f"x{i}" for i in range(inputs)])
    for _ in range(draw(st.integers(0, 14))):
        operands = draw(st.lists(st.integers(0, growing.values - 1), max_size=4))
        held = draw(st.lists(st.sampled_from(list(known)), max_size=2)) if known else []
        bodies = [body(label, known[at], at) for label, at in enumerate(held)]
        growing.eqn(draw(st.sampled_from(OPS)), operands, bodies)
    return replace(growing.grown(), groups=draw(groups_of(len(growing.eqns))))


def body(label: int, held: schema.Graph, index: int) -> schema.Body:
    """Its inputs and outputs are matched to none of its eqn's."""
    inputs, outputs = (-1,) * len(held.invars), (-1,) * len(held.outvars)
    return schema.Body(label=f"branch {label}", graph=index, inputs=inputs, outputs=outputs)


@st.composite
def groups_of(draw: st.DrawFn, eqns: int) -> list[schema.Group]:
    """Runs that nest and never cross, each behind its parent."""
    growing = Growing([])
    waiting: list[tuple[int | None, int, int]] = [(None, 0, eqns)]
    while waiting and len(growing.groups) < 8:
        parent, start, stop = waiting.pop()
        cuts = draw(st.lists(st.integers(start, stop), max_size=4))
        for low, high in pairwise(sorted({start, stop, *cuts})):
            if (low, high) == (start, stop) or not draw(st.booleans()):
                continue
            with growing.group(f"g{low}", parent=parent) as at:
                pass
            growing.groups[at] = replace(growing.groups[at], start=low, stop=high)
            waiting.append((at, low, high))
    return growing.groups


@st.composite
def steps(draw: st.DrawFn) -> schema.Program:
    """Layers, their derivatives in reverse order, and the updates of their parameters."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    growing = Growing([*(f"params['layers'][{i}]" for i in range(len(sizes))), "x"])
    flow = len(sizes)
    layers: list[int] = []
    kept: list[list[int]] = []
    gradients: dict[int, int] = {}
    with growing.group("forward", "forward") as forward:
        for at, size in enumerate(sizes):
            kept.append([])
            with growing.group(f"layers[{at}]", "forward", forward) as layer:
                layers.append(layer)
                for _ in range(size):
                    far = draw(st.integers(0, growing.values - 1))
                    flow = growing.eqn("dot_general", [flow, at, far])
                    kept[at].append(flow)
    with growing.group("backward", "backward", twin=forward) as backward:
        for at in reversed(range(len(sizes))):
            twin = layers[at] if draw(st.booleans()) else None
            with growing.group(f"layers[{at}] ⟵", "backward", backward, twin):
                for value in reversed(kept[at]):
                    flow = growing.eqn("mul", [flow, value])
            gradients[at] = flow
    with growing.group("optimizer", "optimizer", twin=forward) as optimizer:
        for at in range(len(sizes)):
            with growing.group(f"update {at}", "optimizer", optimizer, layers[at]):
                growing.eqn("sub", [at, gradients[at]])
    return of([growing.grown()])


LATER = [
    *("constant", "get-tuple-element", "tuple", "broadcast", "bitcast"),
    *("copy", "while", "fusion", "reduce", "all-reduce"),
]
"""Operations of later stages, also where they make no sense."""


@st.composite
def later(draw: st.DrawFn) -> schema.Program:
    """A program whose one stage is a later one, with its operations in turn."""
    record = draw(st.one_of(dags(), steps()))
    kind, turn = draw(st.sampled_from(["stablehlo", "hlo"])), draw(st.integers(0, 7))
    params = [
        schema.Param(name="value", value="1.5", size=3),
        schema.Param(name="index", value=str(turn % 3), size=1),
    ]
    prefix = "" if kind == "hlo" else "stablehlo."
    (stage,) = record.stages
    graphs = [
        replace(
            graph,
            eqns=[
                replace(
                    eqn, op=prefix + LATER[(at * (turn + 1) + turn) % len(LATER)], params=params
                )
                for at, eqn in enumerate(graph.eqns)
            ],
        )
        for graph in stage.graphs
    ]
    return replace(record, stages=[replace(stage, kind=kind, graphs=graphs)])
