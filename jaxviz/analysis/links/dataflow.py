"""The makers and users of values in a stage. Fusions, calls and tuples are transparent: an
instruction in a fusion uses the result of the instruction before the fusion.

Eqns have numbers, from 0 through all graphs of the stage in their order.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, chain

import numpy as np

from jaxviz import schema
from jaxviz.ops import row_of
from jaxviz.schema.params import param_of

OUTSIDE = -1
"""The maker of an input of the program, or of a body that is not transparent, such as a loop's."""

Value = tuple[int, int]
"""A graph, and one of its variables."""

Source = tuple[int, Value]
"""The eqn that makes a value, or `OUTSIDE`; and the value: that eqn's result, or an input of a
graph."""


class Dataflow:
    """The dataflow of all eqns of a stage, in time linear in them.

    Values have numbers, too, through the variables of all graphs in their order. Facts on values
    and operands are flat lists of numbers, because Python's garbage collector visits every list.

    - For each graph, and one more: `_first`, the number of its first value.
    - For each value: `_makers`, the eqn that makes it, or `OUTSIDE`; and `_originals`, the value
      behind it if it is an alias, else the value itself.
    - For each eqn, and one more: `_starts`, the index of its first operand in the next three lists.
    - For each operand of all eqns: `_operands`, its value, without aliases; `_operand_makers`, the
      eqn that makes this value; and `_direct_makers`, the eqn that makes the alias.
    """

    def __init__(self, stage: schema.Stage) -> None:
        self.stage = stage
        self.eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
        self.graph_of = [number for number, graph in enumerate(stage.graphs) for _ in graph.eqns]
        self.ops = [row_of(eqn.op).name for eqn in self.eqns]
        self._first = [*accumulate((len(graph.vars) for graph in stage.graphs), initial=0)]
        self.callers: list[list[tuple[int, schema.Body]]] = [[] for _ in stage.graphs]
        """For each graph, the eqns that contain it."""
        for number, eqn in enumerate(self.eqns):
            for body in eqn.bodies:
                self.callers[body.graph].append((number, body))
        self.transparent = [bool(eqn.bodies) and self._is_transparent(eqn) for eqn in self.eqns]
        starts, operands = self._flat([eqn.invars for eqn in self.eqns])
        self._starts: list[int] = starts.tolist()
        result_starts, results = self._flat([eqn.outvars for eqn in self.eqns])
        makers = np.full(self._first[-1], OUTSIDE)
        makers[results] = np.repeat(np.arange(len(self.eqns)), np.diff(result_starts))
        self._makers: list[int] = makers.tolist()
        self._direct_makers: list[int] = makers[operands].tolist()
        self._aliases = self._unresolved_aliases()
        originals = np.arange(self._first[-1])
        for value in [*self._aliases]:
            originals[value] = self._resolved(value)
        self._operands: list[int] = originals[operands].tolist()
        self._operand_makers: list[int] = makers[originals[operands]].tolist()
        self._originals: list[int] = originals.tolist()
        self.results = [
            {self.source(number, var)[0] for var in graph.outvars}
            for number, graph in enumerate(stage.graphs)
        ]
        """For each graph, the eqns that make its results, in any graph."""
        is_part = [any(self.transparent[at] for at, _ in callers) for callers in self.callers]
        self.leaving = set[int]().union(
            *(eqns for graph, eqns in enumerate(self.results) if not is_part[graph])
        )
        """The eqns that make results of the program, or of a body that is not transparent."""

    def source(self, graph: int, var: int) -> Source:
        """The eqn that makes a value, found through fusions, calls and parts of tuples."""
        return self._source(self._originals[self._first[graph] + var])

    def sources(self, number: int) -> list[Source]:
        """The `source` of each operand of an eqn."""
        found = self._operands[self._starts[number] : self._starts[number + 1]]
        return [self._source(value) for value in found]

    def makers(self, number: int) -> list[int]:
        """The eqn that makes each operand of an eqn, or `OUTSIDE`."""
        return self._operand_makers[self._starts[number] : self._starts[number + 1]]

    def direct_makers(self, number: int) -> list[int]:
        """Like `makers`, but fusions, calls and tuples are not transparent."""
        return self._direct_makers[self._starts[number] : self._starts[number + 1]]

    def direct_maker(self, graph: int, var: int) -> int:
        """The eqn of a graph that makes a var of it, or `OUTSIDE`."""
        return self._makers[self._first[graph] + var]

    def users(self, number: int) -> list[int]:
        """The eqns that use the results of an eqn, without transparent ones."""
        starts, users = self._users
        return users[starts[number] : starts[number + 1]]

    @cached_property
    def order(self) -> list[int]:
        """All eqns, each after the makers of its operands."""
        starts, users = self._users
        waits = np.bincount(users, minlength=len(self.eqns)).tolist()
        ready = [number for number, count in enumerate(waits) if count == 0]
        for number in ready:
            for user in users[starts[number] : starts[number + 1]]:
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

    @cached_property
    def _users(self) -> tuple[list[int], list[int]]:
        """The index of each eqn's first user in a list, and this list: the users of all eqns."""
        count = len(self.eqns)
        makers = np.array(self._operand_makers, int)
        users = np.repeat(np.arange(count), np.diff(self._starts))
        counts = (makers != OUTSIDE) & ~np.array(self.transparent, bool)[users]
        # A maker and a user are one number, so that one sort orders the users of all makers.
        pairs = np.sort(makers[counts] * count + users[counts])
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        starts = np.searchsorted(pairs, np.arange(count + 1) * count)
        return starts.tolist(), (pairs % max(1, count)).tolist()

    @cached_property
    def _graph_of_value(self) -> list[int]:
        return np.repeat(np.arange(len(self.stage.graphs)), np.diff(self._first)).tolist()

    def _source(self, value: int) -> Source:
        graph = self._graph_of_value[value]
        return self._makers[value], (graph, value - self._first[graph])

    def _flat(self, variables: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
        """The index of each eqn's first value in a list, and this list: the values of all eqns'
        `variables`."""
        starts = np.array([*accumulate(map(len, variables), initial=0)])
        first = np.array(self._first)[np.array(self.graph_of, int)]
        values = np.fromiter(chain.from_iterable(variables), int, starts[-1])
        return starts, values + np.repeat(first, np.diff(starts))

    def _is_transparent(self, eqn: schema.Eqn) -> bool:
        """True if an eqn only runs its one body, which nothing else runs."""
        if len(eqn.bodies) != 1 or len(self.callers[eqn.bodies[0].graph]) != 1:
            return False
        return eqn.op == "fusion" or row_of(eqn.op).bodies == "called"

    def _unresolved_aliases(self) -> dict[int, int | None]:
        """The values that may be aliases, each with the value behind it: results of transparent
        eqns, and inputs of their bodies. A part of a tuple has None: `_part` finds its value."""
        found: dict[int, int | None] = {}
        for number, eqn in enumerate(self.eqns):
            own = self._first[self.graph_of[number]]
            if self.transparent[number]:
                [body] = eqn.bodies
                inner, first = self.stage.graphs[body.graph], self._first[body.graph]
                for var, place in zip(inner.outvars, body.outputs, strict=False):
                    if place >= 0:
                        found.setdefault(own + eqn.outvars[place], first + var)
                for var, place in zip(inner.invars, body.inputs, strict=False):
                    if place >= 0:
                        found[first + var] = own + eqn.invars[place]
            elif self.ops[number] == "get_tuple_element":
                found[own + eqn.outvars[0]] = None
        return found

    def _resolved(self, value: int) -> int:
        """The value behind an alias, or the value itself."""
        passed: list[int] = []
        while value in self._aliases:
            before = self._aliases[value]
            before = self._part(value) if before is None else before
            if before is None:
                del self._aliases[value]
                break
            passed.append(value)
            value = before
        self._aliases.update(dict.fromkeys(passed, value))
        return value

    def _part(self, value: int) -> int | None:
        """The operand of a `tuple` that a `get-tuple-element` returns."""
        number = self._makers[value]
        eqn, own = self.eqns[number], self._first[self.graph_of[number]]
        maker = self._makers[self._resolved(own + eqn.invars[0])]
        index = param_of(eqn.params, "index")
        if maker == OUTSIDE or self.ops[maker] != "tuple" or not index.isdigit():
            return None
        operands = self.eqns[maker].invars
        first = self._first[self.graph_of[maker]]
        return first + operands[int(index)] if int(index) < len(operands) else None
