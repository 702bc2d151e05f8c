"""Which runs of a graph's eqns repeat one another, eqn for eqn.

Two runs are alike where one becomes the other by renaming: the same primitives, params and
avals, and each operand made by the same eqn of the run, or brought in from outside in the same
order. Where a slice begins is not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import accumulate

from jaxviz import schema
from jaxviz.schema.order import outside_in

PLACES = frozenset({"start_indices", "limit_indices"})
"""Where a slice begins and ends: the turns of a loop read one element after another."""
MODULUS = (1 << 61) - 1
FACTOR = 1_000_003

Form = tuple[Hashable, ...]


class Shapes:
    """Numbers for eqns, runs and graphs of one stage: equal where these are alike."""

    def __init__(self, stage: schema.Stage) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._graphs = [0] * len(stage.graphs)
        self._heads: list[list[int]] = [[] for _ in stage.graphs]
        self.stage = stage
        for index in reversed(outside_in(stage.graphs)):
            graph = stage.graphs[index]
            self._heads[index] = [self._head(graph, eqn) for eqn in graph.eqns]
            form = (*self.form(index, 0, len(graph.eqns)), len(graph.invars))
            self._graphs[index] = self._number(form)

    def of(self, index: int, runs: Sequence[tuple[int, int]]) -> list[int]:
        """For each run of a graph's eqns a number that it shares with those like it, or -1."""
        rough = self._rough(index, runs)
        many = Counter(rough)
        forms = [
            self._number(self.form(index, *run)) if many[key] > 1 else -1
            for key, run in zip(rough, runs, strict=True)
        ]
        shared = Counter(forms)
        names: dict[int, int] = {}
        return [
            names.setdefault(form, len(names)) if form >= 0 and shared[form] > 1 else -1
            for form in forms
        ]

    def form(self, index: int, start: int, stop: int) -> Form:
        """The eqns of a run, and for each operand where it comes from."""
        graph, heads = self.stage.graphs[index], self._heads[index]
        places: dict[int, int] = {}
        form: list[Hashable] = []
        for at in range(start, stop):
            eqn = graph.eqns[at]
            form.append(heads[at])
            for var in eqn.invars:
                if not graph.vars[var].literal:
                    form.append(places.setdefault(var, len(places)))
            for var in eqn.outvars:
                places[var] = len(places)
        return tuple(form)

    def _rough(self, index: int, runs: Sequence[tuple[int, int]]) -> list[Hashable]:
        """A sum over each run's eqns that differs for most runs that are not alike."""
        heads = self._heads[index]
        sums = list(accumulate(heads, lambda s, h: (s * FACTOR + h + 1) % MODULUS, initial=0))
        powers = {length: pow(FACTOR, length, MODULUS) for length in {b - a for a, b in runs}}
        return [(b - a, (sums[b] - sums[a] * powers[b - a]) % MODULUS) for a, b in runs]

    def _head(self, graph: schema.Graph, eqn: schema.Eqn) -> int:
        params = tuple(
            (param.name, param.value, param.size)
            for param in eqn.params
            if not (eqn.op == "slice" and param.name in PLACES)
        )
        bodies = tuple((body.label, self._graphs[body.graph]) for body in eqn.bodies)
        operands = tuple(self._atom(graph.vars[var]) for var in eqn.invars)
        results = tuple(graph.vars[var].aval for var in eqn.outvars)
        roles = tuple(eqn.roles)
        return self._number((eqn.op, eqn.name, roles, params, bodies, operands, results))

    def _atom(self, var: schema.Var) -> Hashable:
        return (var.name, var.aval) if var.literal else var.aval

    def _number(self, form: Hashable) -> int:
        return self._numbers.setdefault(form, len(self._numbers))
