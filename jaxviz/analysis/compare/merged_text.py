"""The text of a merged stage, in the syntax of jaxprs, and the span of each eqn in it.

An eqn's text contains the params that JAX writes, and those that differ. (JAX omits params that
follow from the types.) A body is written within its eqn. A body of several eqns is written first,
under a name, as in JAX; so is a deeply nested body.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.schema.graph import inner_first

MOST_COLUMNS = 100
"""The most characters of a line."""
DEEPEST = 40
"""The most levels of bodies that are written within their eqn."""


def with_text(stage: schema.Stage, param_names: list[list[Set[str]]]) -> schema.Stage:
    """The stage with its text and the spans of its eqns. `param_names` has the names of the params
    to write for each eqn of each graph."""
    printer = _Printer(stage, param_names)
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
    """Writes the text in parts and counts its characters for the spans."""

    def __init__(self, stage: schema.Stage, param_names: list[list[Set[str]]]) -> None:
        self.stage = stage
        self.param_names = param_names
        self.parts: list[str] = []
        self.spans = [[(0, 0) for _ in graph.eqns] for graph in stage.graphs]
        self._size = 0
        self.named = graphs_with_names(stage)
        self._names = names(stage, self.named)

    def definition(self, graph: int) -> None:
        """Writes a graph that has a name."""
        self._write(f"let {self._names[graph]} = ")
        self.graph(graph, "")
        self._write(" in\n")

    def graph(self, index: int, indent: str) -> None:
        """Writes a graph with its bodies. It recurses at most `DEEPEST` levels, because a deeper
        body has a name."""
        graph = self.stage.graphs[index]
        self._write(f"{{ lambda {self._typed(graph, graph.constvars)}; ")
        self._write(f"{self._typed(graph, graph.invars)}. let\n")
        for at, eqn in enumerate(graph.eqns):
            self._write(f"{indent}    ")
            start = self._size
            self._eqn(graph, eqn, self.param_names[index][at], f"{indent}    ")
            self.spans[index][at] = start, self._size
            self._write("\n")
        results = ", ".join(graph.vars[var].name for var in graph.outvars)
        self._write(f"{indent}  in ({results}{',' if len(graph.outvars) == 1 else ''}) }}")

    def _eqn(
        self, graph: schema.Graph, eqn: schema.Eqn, param_names: Set[str], indent: str
    ) -> None:
        results = self._typed(graph, eqn.outvars)
        self._write(f"{results} = {eqn.op}" if results else eqn.op)
        params = [f"{one.name}={one.value}" for one in eqn.params if one.name in param_names]
        operands = "".join(f" {graph.vars[var].name}" for var in eqn.invars)
        line = f"[{' '.join(params)}]" if params else ""
        width = len(indent) + len(results) + len(eqn.op) + len(line) + len(operands) + 3
        if not eqn.bodies and width <= MOST_COLUMNS:
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

    def _typed(self, graph: schema.Graph, variables: tuple[int, ...]) -> str:
        avals, records = self.stage.avals, graph.vars
        return " ".join(
            [f"{records[var].name}:{avals[records[var].aval].text}" for var in variables]
        )

    def _write(self, part: str) -> None:
        self.parts.append(part)
        self._size += len(part)


def graphs_with_names(stage: schema.Stage) -> list[int]:
    """The graphs that are written first: those of several eqns, and those that are nested too deep.
    Each comes before its callers."""
    order = inner_first(stage.graphs)
    bodies = [[body.graph for eqn in graph.eqns for body in eqn.bodies] for graph in stage.graphs]
    counts = Counter(graph for graphs in bodies for graph in graphs)
    levels: dict[int, int] = {}
    found: list[int] = []
    for graph in order:
        level = 1 + max((levels[each] for each in bodies[graph]), default=0)
        if graph and (counts[graph] > 1 or level > DEEPEST):
            found.append(graph)
            level = 0
        levels[graph] = level
    return found


def names(stage: schema.Stage, graphs: list[int]) -> dict[int, str]:
    """The names of the graphs, which are those of their functions. Further graphs of one name are
    numbered."""
    found: dict[int, str] = {}
    taken: set[str] = set()
    counts: Counter[str] = Counter()
    for graph in graphs:
        base = stage.graphs[graph].name
        name = base = base if base.isidentifier() else "jaxpr"
        while name in taken:
            counts[base] += 1
            name = f"{base}{counts[base]}"
        taken.add(name)
        found[graph] = name
    return found


def params_to_write(
    texts: tuple[str, str], before: schema.Eqn | None, after: schema.Eqn | None
) -> Set[str]:
    """The names of the params in a merged eqn's text: those that JAX wrote for either eqn, and
    those that differ."""
    found: set[str] = set()
    for text, eqn in zip(texts, (before, after), strict=True):
        if eqn is not None:
            found |= params_in_text(text, eqn)
    if before is not None and after is not None and before.params != after.params:
        old, new = ({param.name: param.value for param in eqn.params} for eqn in (before, after))
        found |= {name for name in {**old, **new} if old.get(name) != new.get(name)}
    return found


def params_in_text(text: str, eqn: schema.Eqn) -> Set[str]:
    """The params that JAX wrote for an eqn; all of them if the eqn has bodies or no span."""
    names = {param.name for param in eqn.params}
    if eqn.span is None or eqn.bodies or not names:
        return names
    start, stop = eqn.span
    if text.find("[", text.find("=", start, stop), stop) < 0:
        return set()
    return {name for name in names if text.find(f"{name}=", start, stop) >= 0}
