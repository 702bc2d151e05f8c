"""Dataflow between the eqns of a stage, through fusions, calls and branches."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from jaxviz import schema

THROUGH = {"fusion", "call", "conditional", "case"}
"""Their bodies' inputs are their operands."""
LOOPS = {"while"}


class At(NamedTuple):
    """An eqn of a stage."""

    graph: int
    eqn: int


Node = At | str
"""An eqn, or by its name what no eqn makes: `x`, `carry`, `element`."""


def plain(op: str) -> str:
    return op.rpartition(".")[2]


class Dataflow:
    def __init__(self, stage: schema.Stage) -> None:
        self.stage = stage
        self._makers: dict[tuple[int, int], At] = {}
        self.holders: dict[int, list[tuple[At, schema.Body]]] = defaultdict(list)
        for graph, held in enumerate(stage.graphs):
            for number, eqn in enumerate(held.eqns):
                at = At(graph, number)
                self._makers.update({(graph, var): at for var in eqn.outvars})
                for body in eqn.bodies:
                    self.holders[body.graph].append((at, body))
        self.users: dict[Node, set[At]] = defaultdict(set)
        for at in self.all():
            if plain(self.eqn(at).op) not in ("fusion", "call"):
                for node in self.operands(at):
                    self.users[node].add(at)

    def all(self) -> list[At]:
        graphs = enumerate(self.stage.graphs)
        return [At(graph, eqn) for graph, held in graphs for eqn in range(len(held.eqns))]

    def eqn(self, at: At) -> schema.Eqn:
        return self.stage.graphs[at.graph].eqns[at.eqn]

    def type(self, at: At) -> str:
        graph = self.stage.graphs[at.graph]
        return self.stage.avals[graph.vars[graph.eqns[at.eqn].outvars[0]].aval].text

    def operands(self, at: At) -> list[Node]:
        return [self.maker(at.graph, var) for var in self.eqn(at).invars]

    def reached(self, at: At, backwards: bool) -> set[At]:
        """The eqns that an eqn's operands come from, or those that its results go to."""
        found: set[At] = set()
        waiting = [at]
        while waiting:
            one = waiting.pop()
            near = self.operands(one) if backwards else self.users[one]
            new = {other for other in near if isinstance(other, At)} - found
            found |= new
            waiting.extend(new)
        return found

    def maker(self, graph: int, var: int) -> Node:
        """Where a value comes from."""
        while True:
            made = self._makers.get((graph, var))
            if made is None:
                outside = self._outside(graph, var)
                if isinstance(outside, str):
                    return outside
                graph, var = outside
            elif plain(self.eqn(made).op) in ("fusion", "call"):
                eqn = self.eqn(made)
                [body] = eqn.bodies
                result = body.outputs.index(eqn.outvars.index(var))
                graph, var = body.graph, self.stage.graphs[body.graph].outvars[result]
            else:
                return made

    def _outside(self, graph: int, var: int) -> tuple[int, int] | str:
        """The operand that an input of a body is."""
        held = self.stage.graphs[graph]
        place = held.invars.index(var)
        if graph == 0:
            return held.args[place]
        at, body = self.holders[graph][0]
        op = plain(self.eqn(at).op)
        if op in LOOPS:
            return "carry"
        if op not in THROUGH:
            return "element"
        return at.graph, self.eqn(at).invars[body.inputs[place]]
