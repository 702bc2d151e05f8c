"""The eqns of a jaxpr by number: what they compute, and what moves their operands and results. If
the jaxpr is unknown, the ops of StableHLO replace it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import OPS

_CASTS = frozenset(("convert_element_type", "convert"))
_KEEPS_PLACES = {op.name for op in OPS if op.family == "elementwise"} | _CASTS
"""Primitives that leave every element in place."""
_MOVES = frozenset(("transpose", "reshape", "squeeze", "expand_dims", "broadcast_in_dim", "copy"))
"""Primitives that move or repeat elements and change none."""
_CONVOLUTIONS = frozenset(("conv_general_dilated", "convolution"))
_CONTRACTIONS = _CONVOLUTIONS | {"dot_general"}
_WITHOUT_CONSTANT = _KEEPS_PLACES | _MOVES | _CONTRACTIONS
"""Primitives that JAX lowers without a constant, unless they have a literal."""
LITERAL = "literal"
"""Replaces the path of an input."""
_SEARCH_LIMIT = 64
"""The most eqns that a search from one eqn to another visits."""

Origin = tuple[int, ...]
"""An eqn of the jaxpr by its number, after the eqns that contain it, as in `Eqn.origin`."""


class JaxprEqns:
    """The eqns of all graphs of a jaxpr, numbered from 0 in the order of the graphs."""

    def __init__(self, jaxpr: schema.Stage) -> None:
        self.flow = Dataflow(jaxpr)
        self.ops = self.flow.ops
        self._is_move = [op in _MOVES for op in self.ops]
        self._is_movement = [op in _MOVES or op in _CASTS for op in self.ops]
        self._moves_between: dict[tuple[int | str, Origin], set[int]] = {}
        first = jaxpr.graphs[0]
        self._inputs = dict(zip(first.invars, first.args, strict=True))
        self._constants: set[int] = set()
        """Eqns that compute the same value each time, from literals."""
        for number in self.flow.order:
            if self._is_constant(number):
                self._constants.add(number)

    def only_eqn(self) -> Origin:
        """The origin of every instruction if only one eqn of the program is no call; else empty."""
        found = [one for one, transparent in enumerate(self.flow.transparent) if not transparent]
        return self.origin_of(found[0], ()) if len(found) == 1 else ()

    def has_constant(self, number: int) -> bool:
        """True if JAX lowers an eqn with a constant."""
        if self.flow.stage.kind != "jaxpr":
            return False
        op = self.ops[number]
        return op not in _WITHOUT_CONSTANT or any(var.literal for var in self._operands(number))

    def constant_of(self, number: int, type_: str) -> list[int]:
        """The eqns that a constant of a type may have been made for, if eqn `number` uses it: a
        maker of an operand of that type from literals, or the eqn itself."""
        made = [made for made in self.flow.makers(number) if made in self._constants]
        if self.flow.stage.kind != "jaxpr":
            return self._one_constant(made, type_)
        alike = [one for one in made if self.flow.result(one).text == type_]
        return alike or ([number] if self.has_constant(number) else made)

    def _one_constant(self, made: list[int], type_: str) -> list[int]:
        """The only eqn of a type among some constants and their operands, or else the only literal
        constant; empty if there is not exactly one."""
        found = list(made)
        for one in found:
            found += [before for before in self.flow.makers(one) if before not in found]
        alike = [one for one in found if self.flow.result(one).text == type_]
        alike = alike or [one for one in found if self.ops[one] == "constant"]
        return alike if len(set(alike)) == 1 else []

    def is_contraction(self, number: int) -> bool:
        """True if an eqn is a product of arrays, or a convolution."""
        return self.ops[number] in _CONTRACTIONS

    def is_convolution(self, number: int) -> bool:
        return self.ops[number] in _CONVOLUTIONS

    def is_elementwise(self, number: int) -> bool:
        """True if an eqn computes each element from those in the same place, or only moves."""
        return self.is_movement(number) or self.ops[number] in _KEEPS_PLACES

    def is_move(self, number: int) -> bool:
        return self._is_move[number]

    def broadcasts(self, number: int) -> bool:
        """True if an elementwise eqn repeats the elements of an operand that is no scalar."""
        flow, graph = self.flow, self.flow.graph_of[number]
        shape = flow.result(number).shape
        operands = [flow.aval((graph, var)).shape for var in flow.eqns[number].invars]
        return self.is_elementwise(number) and any(one not in ([], shape) for one in operands)

    def keeps_places(self, number: int, has_more: bool) -> bool:
        """True if no instruction of an eqn moves elements. This includes reductions with another
        instruction (`has_more`): that one changes the shape."""
        op = self.ops[number]
        return op in _KEEPS_PLACES or (has_more and op.startswith(("reduce_", "arg", "cum")))

    def origin_of(self, number: int, near: Origin) -> Origin:
        """An eqn after those that contain it: the same as those of `near` if both are in one graph,
        else the only ones. Empty if several eqns contain it."""
        graphs = self.flow.graph_of
        if near and graphs[near[-1]] == graphs[number]:
            return (*near[:-1], number)
        found = (number,)
        while graphs[found[0]] != 0:
            callers = self.flow.callers[graphs[found[0]]]
            if len(callers) != 1:
                return ()
            found = (callers[0][0], *found)
        return found

    def results(self, number: int) -> set[str]:
        eqn, graph = self.flow.eqns[number], self.flow.graph_of[number]
        return {self.flow.aval((graph, var)).dtype for var in eqn.outvars}

    def cast_before(self, number: int, from_: str, to: str, base: int | str) -> int | None:
        """The origin of an instruction that casts an operand of eqn `number`: this eqn itself if it
        has an operand of the dtype `from_`. Else it is an eqn that casts an operand, from the value
        `base` if it is known, to the dtype `to`."""
        graph = self.flow.graph_of[number]
        operands = [self.flow.aval((graph, var)).dtype for var in self.flow.eqns[number].invars]
        casts = [
            one
            for one in self._before(number)
            if self._casts(one, from_, to)
            and (base == self.base(one) or "" in (base, self.base(one)))
        ]
        if casts and to in operands:
            return min(casts) if from_ not in operands else None
        return number if from_ in operands and not self.is_move(number) else None

    def cast_after(self, number: int, from_: str, to: str) -> int | None:
        """The origin of an instruction that casts the result of eqn `number`: this eqn itself if
        its result has the dtype `to`. Else it is an eqn that casts the result to this dtype."""
        results = self.results(number)
        if self.flow.eqns[number].bodies:
            return number
        casts = [one for one in self._after(number) if self._casts(one, from_, to)]
        if to in results:
            return number if from_ not in results else None
        return min(casts) if casts else None

    def moves_between(self, start: Origin | str, end: Origin) -> set[int]:
        """The eqns that move the result of one eqn, or the input with a path, before another eqn
        uses it. If `end` is empty, before the program returns it."""
        key = (start if isinstance(start, str) else start[-1], end[-1:])
        found = self._moves_between.get(key)
        if found is None:
            before = self._before(end[-1]) if end else None
            if isinstance(start, str):
                moves = {one for one in before or () if self.base(one) == start}
            else:
                after = self._after(start[-1])
                moves = after if before is None else after & before
            found = self._moves_between[key] = {one for one in moves if self.is_move(one)}
        return found

    def moves_near(self, makers: Iterable[int], users: Iterable[int]) -> set[int]:
        """The eqns that move elements before some eqns or after others, with only elementwise eqns
        between. XLA may change the order of moves and elementwise eqns."""
        found: set[int] = set()
        for starts, neighbours in ((makers, self._makers), (users, self.flow.users)):
            for start in starts:
                if self.is_elementwise(start):
                    found |= self._search(start, neighbours, self.is_elementwise)
        return {one for one in found if self.is_move(one)}

    def between(self, makers: Collection[int], users: Iterable[int]) -> set[int] | None:
        """The eqns on paths from some eqns to others, without these. If there are no users, paths
        lead to the results of the program. None if the search takes too long."""
        graphs = self.flow.graph_of
        first = self._first_of(makers)
        before: list[int] = []
        waiting = list(users) or [OUTSIDE]
        while waiting:
            one = waiting.pop()
            for made in self.flow.results[0] if one == OUTSIDE else set(self.flow.makers(one)):
                if made in makers or made in before or made < first.get(graphs[made], 0):
                    continue
                if made != OUTSIDE:
                    if len(before) == _SEARCH_LIMIT:
                        return None
                    before.append(made)
                    waiting.append(made)
        return {one for one in before if not makers or self._follows(one, makers, before)}

    def _first_of(self, numbers: Iterable[int]) -> dict[int, int]:
        """The first of some eqns in each graph that contains them, itself or within a body."""
        found: dict[int, int] = {}
        for number in numbers:
            callers = [(number, None)]
            while len(callers) == 1:
                [(number, _)] = callers
                graph = self.flow.graph_of[number]
                found[graph] = min(number, found.get(graph, number))
                callers = self.flow.callers[graph]
        return found

    def _follows(self, number: int, makers: Collection[int], within: Collection[int]) -> bool:
        """True if an eqn uses a result of `makers`, directly or through eqns of `within`."""
        seen: set[int] = set()
        waiting = [number]
        while waiting:
            for made in self.flow.makers(waiting.pop()):
                if made in makers:
                    return True
                if made in within and made not in seen:
                    seen.add(made)
                    waiting.append(made)
        return False

    def input_path(self, value: tuple[int, int]) -> str:
        """The path of an input of the program, `LITERAL` for a literal, and empty for other
        values."""
        graph, var = value
        if var >= 0 and self.flow.stage.graphs[graph].vars[var].literal:
            return LITERAL
        return self._inputs.get(value[1], "") if value[0] == 0 else ""

    def bases(self, number: int) -> list[int | str]:
        """The sources of an eqn's operands before moves and casts: eqns by their numbers, inputs by
        their paths."""
        return [self._base(made, value) for made, value in self.flow.sources(number)]

    def base(self, number: int) -> int | str:
        """The source of an eqn's result before moves and casts: the eqn itself if it computes."""
        return self._base(number, (0, -1))

    def _base(self, made: int, value: tuple[int, int]) -> int | str:
        while made != OUTSIDE and self._is_movement[made]:
            made, value = self.flow.sources(made)[0]
        if made == OUTSIDE:
            return self.input_path(value)
        return LITERAL if self.ops[made] == "constant" else made

    def is_movement(self, number: int) -> bool:
        return self._is_movement[number]

    def _casts(self, number: int, from_: str, to: str) -> bool:
        flow = self.flow
        cast = self.ops[number] in _CASTS
        return cast and flow.operand(number).dtype == from_ and flow.result(number).dtype == to

    def _before(self, number: int) -> set[int]:
        """The eqns that move and cast the operands of an eqn, back to their source."""
        return self._search(number, self._makers, self.is_movement)

    def _after(self, number: int) -> set[int]:
        """The eqns that move and cast the results of an eqn, before others use them."""
        return self._search(number, self.flow.users, self.is_movement)

    @staticmethod
    def _search(
        number: int, neighbours: Callable[[int], list[int]], continues: Callable[[int], bool]
    ) -> set[int]:
        """The eqns for which `continues` is true, on paths of such eqns from eqn `number`."""
        found: set[int] = set()
        waiting = [number]
        while waiting and len(found) < _SEARCH_LIMIT:
            for one in neighbours(waiting.pop()):
                if one not in found and continues(one):
                    found.add(one)
                    waiting.append(one)
        return found

    def _makers(self, number: int) -> list[int]:
        return [made for made in self.flow.makers(number) if made != OUTSIDE]

    def _operands(self, number: int) -> list[schema.Var]:
        graph = self.flow.stage.graphs[self.flow.graph_of[number]]
        return [graph.vars[var] for var in self.flow.eqns[number].invars]

    def _is_constant(self, number: int) -> bool:
        pairs = zip(self.flow.makers(number), self._operands(number), strict=True)
        constant = [made in self._constants or var.literal for made, var in pairs]
        is_first = bool(constant) or self.ops[number] == "constant"
        return is_first and all(constant) and not self.flow.eqns[number].bodies
