"""Which eqns of a stage make and use one another's values, with fusions, calls and tuples looked
through: an instruction in a fusion uses what the instruction before the fusion made.

Eqns go by their number, from 0 through all graphs of the stage in their order.
"""

from __future__ import annotations

from jaxviz import schema
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of

OUTSIDE = -1
"""In place of the eqn that makes a value: an input of the program, or of a body that runs for
itself, such as a loop's."""

Value = tuple[int, int]
"""A graph, and a var of it."""


class Dataflow:
    """Of all eqns of a stage. Linear in them."""

    def __init__(self, stage: schema.Stage) -> None:
        self.stage = stage
        self.eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
        self.graph_of = [number for number, graph in enumerate(stage.graphs) for _ in graph.eqns]
        self.ops = [row_of(eqn.op).name for eqn in self.eqns]
        self.makers: list[dict[int, int]] = []
        """For each graph the eqn that makes each of its vars."""
        self.held_by: list[list[tuple[int, schema.Body]]] = [[] for _ in stage.graphs]
        """For each graph the eqns that hold it."""
        self._number_makers()
        self.through = [self._is_looked_through(eqn) for eqn in self.eqns]
        self._is_part = [
            any(self.through[number] for number, _ in holders) for holders in self.held_by
        ]
        """For each graph whether it runs as a part of the graph that holds it."""
        self._resolved: dict[Value, tuple[int, Value]] = {}
        known = self._resolved
        self.sources = [
            [known.get((graph, var)) or self.source(graph, var) for var in eqn.invars]
            for graph, eqn in zip(self.graph_of, self.eqns, strict=True)
        ]
        """For each eqn, of each operand the eqn that makes it, or `OUTSIDE`, and the value as that
        eqn's result, or as an input of its graph."""
        self.users: list[list[int]] = [[] for _ in self.eqns]
        for number, sources in enumerate(self.sources):
            if not self.through[number]:
                for made in {made for made, _ in sources if made != OUTSIDE}:
                    self.users[made].append(number)
        self.results = [
            {self.source(graph, var)[0] for var in held.outvars}
            for graph, held in enumerate(stage.graphs)
        ]
        """For each graph the eqns that make its results, wherever they are."""
        self.kept = set[int]().union(
            *(made for graph, made in enumerate(self.results) if not self._is_part[graph])
        )
        """The eqns that make results of graphs which run for themselves."""

    def source(self, graph: int, var: int) -> tuple[int, Value]:
        """The eqn that makes a value, looked for through fusions, calls and parts of tuples."""
        passed: list[Value] = []
        value = (graph, var)
        while value not in self._resolved:
            made = self.makers[value[0]].get(value[1], OUTSIDE)
            before = self._before(value, made)
            if before is None:
                self._resolved[value] = (made, value)
                break
            passed.append(value)
            value = before
        found = self._resolved[value]
        for one in passed:
            self._resolved[one] = found
        return found

    def order(self) -> list[int]:
        """All eqns, each after those whose values it uses."""
        waits = [0] * len(self.eqns)
        for users in self.users:
            for user in users:
                waits[user] += 1
        ready = [number for number, count in enumerate(waits) if count == 0]
        for number in ready:
            for user in self.users[number]:
                waits[user] -= 1
                if waits[user] == 0:
                    ready.append(user)
        return ready

    def aval(self, value: Value) -> schema.Aval:
        graph, var = value
        return self.stage.avals[self.stage.graphs[graph].vars[var].aval]

    def result(self, number: int) -> schema.Aval:
        """The type of an eqn's first result."""
        return self.aval((self.graph_of[number], self.eqns[number].outvars[0]))

    def operand(self, number: int, place: int = 0) -> schema.Aval:
        return self.aval((self.graph_of[number], self.eqns[number].invars[place]))

    def _number_makers(self) -> None:
        first = 0
        for graph in self.stage.graphs:
            makers: dict[int, int] = {}
            for number, eqn in enumerate(graph.eqns, first):
                for var in eqn.outvars:
                    makers[var] = number
                for body in eqn.bodies:
                    self.held_by[body.graph].append((number, body))
            self.makers.append(makers)
            first += len(graph.eqns)

    def _is_looked_through(self, eqn: schema.Eqn) -> bool:
        """Whether an eqn only runs its one body, which nothing else runs."""
        if len(eqn.bodies) != 1 or len(self.held_by[eqn.bodies[0].graph]) != 1:
            return False
        return eqn.op == "fusion" or row_of(eqn.op).bodies == "called"

    def _before(self, value: Value, made: int) -> Value | None:
        """The value that this one, which the eqn `made` makes, is another name of; None where it is
        made here."""
        graph, var = value
        if made == OUTSIDE:
            return self._fed(graph, var)
        eqn = self.eqns[made]
        if self.through[made]:
            [body] = eqn.bodies
            place = eqn.outvars.index(var)
            if place not in body.outputs:
                return None
            return body.graph, self.stage.graphs[body.graph].outvars[body.outputs.index(place)]
        return self._part(graph, eqn) if self.ops[made] == "get_tuple_element" else None

    def _fed(self, graph: int, var: int) -> Value | None:
        """The operand that an input of a body is."""
        held = self.stage.graphs[graph]
        if not self._is_part[graph] or var not in held.invars:
            return None
        [(holder, body)] = self.held_by[graph]
        fed = body.inputs[held.invars.index(var)]
        return None if fed < 0 else (self.graph_of[holder], self.eqns[holder].invars[fed])

    def _part(self, graph: int, eqn: schema.Eqn) -> Value | None:
        """What a `get-tuple-element` takes out of a tuple that is made by an eqn."""
        made, (where, _) = self.source(graph, eqn.invars[0])
        index = param_of(eqn.params, "index")
        if made == OUTSIDE or self.ops[made] != "tuple" or not index.isdigit():
            return None
        operands = self.eqns[made].invars
        return (where, operands[int(index)]) if int(index) < len(operands) else None
