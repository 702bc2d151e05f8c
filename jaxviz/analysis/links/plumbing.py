"""Guesses for instructions that pass values on: tuples and their parts around loops and branches,
fusions, and functions that an instruction applies to single elements."""

from __future__ import annotations

from collections.abc import Iterable

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_around import LinkedAround


class Plumbing:
    """Guesses that follow from the eqn around an eqn, or from the eqns within it."""

    def __init__(self, around: LinkedAround) -> None:
        self._around = around
        self._flow = around.flow

    def guess_parts(self) -> None:
        """Guesses the origins of tuples and their parts. Those of a loop or a branch belong to it,
        and any other tuple to its user."""
        self._guess_tuples()
        for number, op in enumerate(self._flow.ops):
            if self._around.origins[number] or op not in ("tuple", "get_tuple_element"):
                continue
            self._add(number, self._part(number))

    def guess_nested(self) -> None:
        """Guesses the origins of fusions by their contents, and of applied functions by the eqn
        that applies them."""
        for number in reversed(range(len(self._flow.eqns))):
            if self._flow.through[number]:
                known, root = self._around.origins[number], self._root(number)
                if root[: len(known)] == known:
                    self._add(number, root)
        self.guess_parts()
        for number in range(len(self._flow.eqns)):
            if not self._around.origins[number] and self._around.is_applied(number):
                self._add(number, self._holder(number))

    def _add(self, number: int, origin: Origin) -> None:
        if origin:
            self._around.add(number, origin)

    def _guess_tuples(self) -> None:
        """Guesses the origins of tuples that only one eqn uses as a whole: a loop, a call, or
        several of one eqn."""
        tuples = {number for number, op in enumerate(self._flow.ops) if op == "tuple"}
        graphs = {self._flow.graph_of[number] for number in tuples}
        users: dict[int, set[int]] = {}
        for number, graph in enumerate(self._flow.graph_of):
            for made in self._flow.makers_here(number) if graph in graphs else ():
                if made in tuples:
                    users.setdefault(made, set()).add(number)
        for number in reversed(users):
            if not self._around.origins[number]:
                self._add(number, self._common(users[number]))

    def _part(self, number: int) -> Origin:
        """The origin of a part of a tuple, or of the tuple that is the result of a body."""
        graph = self._flow.graph_of[number]
        eqn = self._flow.eqns[number]
        made = set(self._flow.makers_here(number))
        if self._flow.ops[number] == "get_tuple_element" and OUTSIDE not in made:
            return self._common(made)
        is_result = set(eqn.outvars) & set(self._flow.stage.graphs[graph].outvars)
        is_border = self._flow.ops[number] == "get_tuple_element" or is_result
        return self._holder(number) if is_border else ()

    def _holder(self, number: int) -> Origin:
        """The origin of the one loop, branch or reduction that contains an eqn; empty in a fusion
        or a call."""
        holders = self._flow.held_by[self._flow.graph_of[number]]
        names = {self._flow.ops[holder] for holder, _ in holders}
        if names & {"fusion", "call", "custom_call", "async"}:
            return ()
        return self._common(holder for holder, _ in holders)

    def _root(self, number: int) -> Origin:
        """The origin of the result of a fusion or call, if it is computed and linked; else of an
        eqn that only moves or casts it."""
        [body] = self._flow.eqns[number].bodies
        outvars = self._flow.stage.graphs[body.graph].outvars
        results = [self._flow.maker_here(body.graph, var) for var in outvars]
        waiting = [made for made in results if made != OUTSIDE]
        seen: set[int] = set()
        moved: Origin = ()
        for one in waiting:
            origin = self._around.origins[one]
            if origin and not self._around.is_passed(one):
                return origin
            moved = moved or origin
            for made in self._flow.makers_here(one):
                if made != OUTSIDE and made not in seen:
                    seen.add(made)
                    waiting.append(made)
        return moved

    def _common(self, numbers: Iterable[int]) -> Origin:
        """The common origin of some eqns; empty if one has none, or they differ."""
        origins = {self._around.origins[number] for number in numbers}
        return origins.pop() if len(origins) == 1 else ()
