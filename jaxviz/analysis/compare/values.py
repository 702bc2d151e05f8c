"""Numbers for what two stages hold: equal where it is the same, whatever its variables are called.

A number stands for a tuple of what is below it (hash-consing), so that two graphs are compared by
two numbers, exactly, however deep they nest and however often they are shared.
"""

from __future__ import annotations

from collections.abc import Hashable

from jaxviz import schema
from jaxviz.analysis.cost.order import inner_first


class Numbers:
    """Equal things have equal numbers, others have others."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, thing: Hashable) -> int:
        return self._known.setdefault(thing, len(self._known))


class Side:
    """One of two stages that are compared, with the numbers of what it holds."""

    def __init__(self, stage: schema.Stage, numbers: Numbers) -> None:
        self.stage = stage
        self.graphs = stage.graphs
        self.numbers = numbers
        self.avals = [numbers.of(_identity(aval)) for aval in stage.avals]
        self.heads: list[list[int]] = [[] for _ in stage.graphs]
        """Of each eqn what it does: its op, params and bodies, without any type."""
        self.ops: list[list[int]] = [[] for _ in stage.graphs]
        """Of each eqn its op."""
        self.plain = [0] * len(stage.graphs)
        """Of each graph what it computes, without any type."""
        self.whole = [0] * len(stage.graphs)
        """Of each graph what it computes, with all types."""
        for index in inner_first(stage):
            self._add(index)

    def literal(self, graph: schema.Graph, var: int) -> int:
        """The number of a literal's value, without its type."""
        return self.numbers.of(("literal", value_of(graph.vars[var].name)))

    def _add(self, index: int) -> None:
        graph, of = self.graphs[index], self.numbers.of
        places: dict[int, int] = {}
        for var in (*graph.constvars, *graph.invars):
            places[var] = len(places)
        form: list[Hashable] = [len(graph.constvars), len(graph.invars)]
        types = [self.avals[graph.vars[var].aval] for var in places]
        for eqn in graph.eqns:
            said = (eqn.op, eqn.name, *eqn.roles, *params(eqn))
            head = of((*said, *self._bodies(eqn, self.plain)))
            self.heads[index].append(head)
            self.ops[index].append(of(eqn.op))
            form.append((head, *self._operands(graph, eqn.invars, places)))
            for var in eqn.outvars:
                places[var] = len(places)
            held = [graph.vars[var].aval for var in (*eqn.invars, *eqn.outvars)]
            types += [self.avals[aval] for aval in held]
            types += [number for _, number in self._bodies(eqn, self.whole)]
        form.append(tuple(self._operands(graph, graph.outvars, places)))
        self.plain[index] = of(("graph", *form))
        types += [self.avals[graph.vars[var].aval] for var in graph.outvars]
        self.whole[index] = of((self.plain[index], *types))

    def _bodies(self, eqn: schema.Eqn, numbers: list[int]) -> list[tuple[str, int]]:
        return [(body.label, numbers[body.graph]) for body in eqn.bodies]

    def _operands(
        self, graph: schema.Graph, variables: list[int], places: dict[int, int]
    ) -> list[int]:
        """Where each is made; a literal is a negative number."""
        return [
            ~self.literal(graph, var) if graph.vars[var].literal else places.get(var, -1)
            for var in variables
        ]


def params(eqn: schema.Eqn) -> list[tuple[str, str, int]]:
    return [(param.name, param.value, param.size) for param in eqn.params]


def value_of(literal: str) -> str:
    """`2.0` of `2.0:f32[]`."""
    return literal.rpartition(":")[0] or literal


def _identity(aval: schema.Aval) -> Hashable:
    return ("aval", aval.text, aval.kind, aval.weak_type, aval.sharding, aval.memory)
