"""The text of a merged stage, in the syntax of jaxprs, with the place of every eqn.

Of an eqn's params those are written that JAX writes, which has left out what is plain from the
types, and those that differ. A body stands where it is held; one that is held more than once stands
first, under a name, as JAX has it; so do bodies that are nested very deep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.cost.order import inner_first

WIDTH = 100
DEEPEST = 40
"""Bodies in bodies that are written where they are held."""


def printed(stage: schema.Stage, shown: list[list[Set[str]]]) -> schema.Stage:
    """The stage with its text and spans; `shown` are the names of the params to write of each
    eqn of each graph."""
    printer = _Printer(stage, shown)
    for graph in printer.named:
        printer.definition(graph)
    printer.graph(0, "")
    graphs = [
        replace(
            graph,
            eqns=[replace(eqn, span=span) for eqn, span in zip(graph.eqns, spans, strict=True)],
        )
        for graph, spans in zip(stage.graphs, printer.spans, strict=True)
    ]
    return replace(stage, graphs=graphs, text="".join(printer.parts))


class _Printer:
    """Writes parts, and remembers how many characters they are."""

    def __init__(self, stage: schema.Stage, shown: list[list[Set[str]]]) -> None:
        self.stage = stage
        self.shown = shown
        self.parts: list[str] = []
        self.spans: list[list[list[int]]] = [[[0, 0] for _ in graph.eqns] for graph in stage.graphs]
        self._size = 0
        self.named = named(stage)
        self._names = names(stage, self.named)

    def definition(self, graph: int) -> None:
        self._write(f"let {self._names[graph]} = ")
        self.graph(graph, "")
        self._write(" in\n")

    def graph(self, index: int, indent: str) -> None:
        """Not over the depth of the program: what is nested deeper has a name."""
        graph = self.stage.graphs[index]
        self._write(f"{{ lambda {self._typed(graph, graph.constvars)}; ")
        self._write(f"{self._typed(graph, graph.invars)}. let\n")
        for at, eqn in enumerate(graph.eqns):
            self._write(f"{indent}    ")
            start = self._size
            self._eqn(graph, eqn, self.shown[index][at], f"{indent}    ")
            self.spans[index][at] = [start, self._size]
            self._write("\n")
        results = ", ".join(graph.vars[var].name for var in graph.outvars)
        self._write(f"{indent}  in ({results}{',' if len(graph.outvars) == 1 else ''}) }}")

    def _eqn(self, graph: schema.Graph, eqn: schema.Eqn, shown: Set[str], indent: str) -> None:
        results = self._typed(graph, eqn.outvars)
        self._write(f"{results} = {eqn.op}" if results else eqn.op)
        params = [f"{one.name}={one.value}" for one in eqn.params if one.name in shown]
        operands = "".join(f" {graph.vars[var].name}" for var in eqn.invars)
        line = f"[{' '.join(params)}]" if params else ""
        width = len(indent) + len(results) + len(eqn.op) + len(line) + len(operands) + 3
        if not eqn.bodies and width <= WIDTH:
            self._write(line + operands)
            return
        if not params and not eqn.bodies:
            self._write(operands)
            return
        self._write("[")
        for param in params:
            self._write(f"\n{indent}  {param}")
        for body in eqn.bodies:
            self._write(f"\n{indent}  {body.label.replace(' ', '_')}=")
            if body.graph in self._names:
                self._write(self._names[body.graph])
            else:
                self.graph(body.graph, f"{indent}  ")
        self._write(f"\n{indent}]{operands}")

    def _typed(self, graph: schema.Graph, variables: list[int]) -> str:
        avals, records = self.stage.avals, graph.vars
        return " ".join(
            [f"{records[var].name}:{avals[records[var].aval].text}" for var in variables]
        )

    def _write(self, part: str) -> None:
        self.parts.append(part)
        self._size += len(part)


def named(stage: schema.Stage) -> list[int]:
    """The graphs that are held more than once, or too deep, those first that others hold."""
    order = inner_first(stage)
    held = [[body.graph for eqn in graph.eqns for body in eqn.bodies] for graph in stage.graphs]
    counts = Counter(graph for graphs in held for graph in graphs)
    levels: dict[int, int] = {}
    found: list[int] = []
    for graph in order:
        level = 1 + max((levels[each] for each in held[graph]), default=0)
        if graph and (counts[graph] > 1 or level > DEEPEST):
            found.append(graph)
            level = 0
        levels[graph] = level
    return found


def names(stage: schema.Stage, graphs: list[int]) -> dict[int, str]:
    """After the functions that the graphs were made of; a number tells those of one name apart."""
    found: dict[int, str] = {}
    taken: set[str] = set()
    met: Counter[str] = Counter()
    for graph in graphs:
        called = stage.graphs[graph].name
        name = called = called if called.isidentifier() else "jaxpr"
        while name in taken:
            met[called] += 1
            name = f"{called}{met[called]}"
        taken.add(name)
        found[graph] = name
    return found
