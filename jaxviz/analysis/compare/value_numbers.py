"""Numbers that are equal if two programs compute the same, whatever the names of their variables.

A number represents a tuple of other numbers (hash-consing, as in a compiler's value numbering). So
comparing two numbers compares two graphs, exactly, even if they are deeply nested or shared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cached_property

from jaxviz import schema
from jaxviz.schema.graph import inner_first

ANY_LITERAL, UNKNOWN = -1, -2
"""The numbers of a literal whose value is ignored, and of an unknown value."""


class Numbering:
    """Numbers hashable keys from 0, equal keys equally. Both programs of a comparison share one
    numbering."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class NumberedStage:
    """The stage of one of the two programs, with a number for each aval, eqn and graph."""

    def __init__(
        self,
        stage: schema.Stage,
        numbering: Numbering,
        values: Sequence[Sequence[bytes | int | None]] | None = None,
    ) -> None:
        """`values` has digests of the constants of each graph; None if they are unknown."""
        self.stage = stage
        self.graphs = stage.graphs
        self.values = values or [[None] * len(graph.constvars) for graph in stage.graphs]
        self.numbering = numbering
        self.avals = [numbering.of(_aval_key(aval)) for aval in stage.avals]
        self.operations: list[list[int]] = [[] for _ in stage.graphs]
        """For each graph and eqn, its operation: op, params and bodies, without types."""
        self.ops: list[list[int]] = [[] for _ in stage.graphs]
        """For each graph and eqn, only its op."""
        self.untyped = [0] * len(stage.graphs)
        """For each graph, its computation, without types."""
        self.typed = [0] * len(stage.graphs)
        """For each graph, its computation, with all types."""
        for index in inner_first(stage.graphs):
            self._number_graph(index)

    def literal(self, graph: schema.Graph, var: int) -> int:
        """The number of a literal's value, without its type."""
        return self.numbering.of(("literal", literal_value(graph.vars[var].name)))

    def _number_graph(self, index: int) -> None:
        """Numbers one graph; the graphs of its bodies have their numbers already."""
        graph, of = self.graphs[index], self.numbering.of
        places = {var: at for at, var in enumerate((*graph.constvars, *graph.invars))}
        computation: list[Hashable] = [len(graph.constvars), len(graph.invars)]
        types = [self.avals[graph.vars[var].aval] for var in places]
        types += [of(("values", digest)) for digest in self.values[index]]
        for eqn in graph.eqns:
            params = [(param.name, param.value, param.size) for param in eqn.params]
            bodies = self._bodies(eqn, self.untyped)
            is_param = any(param.name == "name" for param in eqn.params)
            name = "" if is_param else eqn.name
            operation = of((eqn.op, name, *eqn.roles, *params, *bodies))
            self.operations[index].append(operation)
            self.ops[index].append(of(eqn.op))
            computation.append((operation, *self._operands(graph, eqn.invars, places)))
            for var in eqn.outvars:
                places[var] = len(places)
            avals = [graph.vars[var].aval for var in (*eqn.invars, *eqn.outvars)]
            types += [self.avals[aval] for aval in avals]
            types += [number for _, number in self._bodies(eqn, self.typed)]
        computation.append(tuple(self._operands(graph, graph.outvars, places)))
        self.untyped[index] = of(("graph", *computation))
        types += [self.avals[graph.vars[var].aval] for var in graph.outvars]
        self.typed[index] = of((self.untyped[index], *types))

    def _bodies(self, eqn: schema.Eqn, numbers: list[int]) -> list[tuple[str, int]]:
        return [(body.label, numbers[body.graph]) for body in eqn.bodies]

    def _operands(
        self, graph: schema.Graph, variables: Sequence[int], places: dict[int, int]
    ) -> list[int]:
        """The place where each variable is made; a negative number for a literal."""
        return [
            ~self.literal(graph, var) if graph.vars[var].literal else places.get(var, -1)
            for var in variables
        ]


class NumberedGraph:
    """The eqns of one graph, numbered by its inputs and results.

    `inputs` has the numbers of its inputs and consts, by variable, and `results` those of its
    results. A value that matches one of the other program has the same number there. So equal eqns
    of both programs get equal numbers.
    """

    def __init__(
        self,
        stage: NumberedStage,
        index: int,
        inputs: dict[int, int],
        results: dict[int, list[int]],
    ) -> None:
        self.stage = stage
        self.graph: schema.Graph = stage.graphs[index]
        self.operations = stage.operations[index]
        self.ops = stage.ops[index]
        self.inputs = inputs
        self.results = results

    @cached_property
    def makers(self) -> dict[int, tuple[int, int]]:
        """For each variable, the eqn that makes it and its index among the results."""
        return {
            var: (at, place)
            for at, eqn in enumerate(self.graph.eqns)
            for place, var in enumerate(eqn.outvars)
        }

    @cached_property
    def users(self) -> defaultdict[int, list[tuple[int, int]]]:
        """For each variable, the eqns that read it and its index among their operands."""
        users: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, eqn in enumerate(self.graph.eqns):
            for place, var in enumerate(eqn.invars):
                users[var].append((at, place))
        return users

    def by_inputs(self) -> list[int]:
        """For each eqn, the number of its computation from the inputs."""
        return self._forward(self.operations, exact=True)

    def by_ops_from_inputs(self) -> list[int]:
        """For each eqn, the number of its computation by ops only, without params and literals."""
        return self._forward(self.ops, exact=False)

    def _forward(self, kinds: list[int], exact: bool) -> list[int]:
        of, variables = self.stage.numbering.of, self.graph.vars
        values = dict(self.inputs)
        found: list[int] = []
        for at, eqn in enumerate(self.graph.eqns):
            key = [kinds[at]]
            for var in eqn.invars:
                value = values.get(var)
                if value is None:
                    value = UNKNOWN
                    if variables[var].literal:
                        value = self.stage.literal(self.graph, var) if exact else ANY_LITERAL
                    values[var] = value
                key.append(value)
            number = of(tuple(key))
            found.append(number)
            for place, var in enumerate(eqn.outvars):
                values[var] = of((number, place, "result")) if place else number
        return found

    def by_uses(self) -> list[int]:
        """For each eqn, the number of all uses of its results, by ops only."""
        of = self.stage.numbering.of
        uses: defaultdict[int, set[int]] = defaultdict(set)
        for var, numbers in self.results.items():
            uses[var].update(numbers)
        found: list[int] = []
        for at in range(len(self.graph.eqns) - 1, -1, -1):
            eqn = self.graph.eqns[at]
            number = of((self.ops[at], *[tuple(sorted(uses.pop(v, ()))) for v in eqn.outvars]))
            found.append(number)
            for place, var in enumerate(eqn.invars):
                uses[var].add(of((number, place, "use")))
        return found[::-1]

    def by_neighbours(self) -> list[int]:
        """For each eqn, the number of its operation, the makers of its operands and the readers of
        its results."""
        of = self.stage.numbering.of
        return [
            of(
                (
                    self.operations[at],
                    tuple([self.maker(var) for var in eqn.invars]),
                    tuple(sorted({use for var in eqn.outvars for use in self._readers(var)})),
                )
            )
            for at, eqn in enumerate(self.graph.eqns)
        ]

    def maker(self, var: int) -> int:
        """The number of a variable's maker: an eqn, an input, or a literal's value."""
        if var in self.makers:
            at, place = self.makers[var]
            return self.stage.numbering.of((self.operations[at], place, "made"))
        if var in self.inputs:
            return self.inputs[var]
        return self.stage.literal(self.graph, var) if self.graph.vars[var].literal else UNKNOWN

    def _readers(self, var: int) -> list[int]:
        of = self.stage.numbering.of
        return [of((self.ops[at], place, "read")) for at, place in self.users[var]]


def literal_value(literal: str) -> str:
    """`2.0` of the literal `2.0:f32[]`."""
    return literal.rpartition(":")[0] or literal


def _aval_key(aval: schema.Aval) -> Hashable:
    return ("aval", aval.text, aval.kind, aval.weak_type, aval.sharding, aval.memory)
