"""The eqns of a jaxpr by number: their operands and operations. If the jaxpr is unknown, the ops of
StableHLO replace it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow
from jaxviz.ops import OPS

_CASTS = frozenset(("convert_element_type", "convert"))
_MOVES_NOTHING = {op.name for op in OPS if op.family == "elementwise"} | _CASTS
"""Primitives that leave every element in place."""
_MOVES = frozenset(("transpose", "reshape", "squeeze", "expand_dims", "broadcast_in_dim", "copy"))
"""Primitives that move or repeat elements and change none."""
_CONVOLUTIONS = frozenset(("conv_general_dilated", "convolution"))
_CONTRACTIONS = _CONVOLUTIONS | {"dot_general"}
_WITHOUT_CONSTANT = _MOVES_NOTHING | _MOVES | _CONTRACTIONS
"""Primitives that JAX lowers without a constant, unless they have a literal."""
LITERAL = "literal"
"""Replaces the path of an input."""
_PASSED_LIMIT = 64
"""The most eqns that are passed from one eqn to another."""

Origin = tuple[int, ...]
"""An eqn of the jaxpr by its number, after the eqns that contain it, as in `Eqn.origin`."""


class JaxprEqns:
    """The eqns of all graphs of a jaxpr, numbered from 0 in the order of the graphs."""

    def __init__(self, jaxpr: schema.Stage) -> None:
        self.flow = Dataflow(jaxpr)
        self.ops = self.flow.ops
        self._is_move = [op in _MOVES for op in self.ops]
        self._passes = [op in _MOVES or op in _CASTS for op in self.ops]
        self._moves_between: dict[tuple[int | str, Origin], set[int]] = {}
        first = jaxpr.graphs[0]
        self._inputs = dict(zip(first.invars, first.args, strict=True))
        self._constants: set[int] = set()
        """Eqns that compute the same each time, from literals."""
        for number in self.flow.order:
            if self._is_constant(number):
                self._constants.add(number)

    def only_eqn(self) -> Origin:
        """The one eqn of the program that is no call, after those that contain it; empty if there
        are several."""
        found = [one for one, through in enumerate(self.flow.through) if not through]
        return self.chain(found[0], ()) if len(found) == 1 else ()

    def has_constant(self, number: int) -> bool:
        """True if lowering an eqn makes a constant for it."""
        if self.flow.stage.kind != "jaxpr":
            return False
        op = self.ops[number]
        return op not in _WITHOUT_CONSTANT or any(var.literal for var in self._operands(number))

    def constant_of(self, number: int, type_: str) -> list[int]:
        """The eqns for which a constant of a type may have been made that an eqn uses: the maker of
        an operand of that type from literals, or the eqn itself."""
        made = [made for made in self.flow.makers(number) if made in self._constants]
        if self.flow.stage.kind != "jaxpr":
            return self._one_constant(made, type_)
        alike = [one for one in made if self.flow.result(one).text == type_]
        return alike or ([number] if self.has_constant(number) else made)

    def _one_constant(self, made: list[int], type_: str) -> list[int]:
        """The only constant of a type, or the only written one, among constants and their
        operands."""
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
        """True if an eqn computes each element from those in the same place."""
        return self.only_passes(number) or self.ops[number] in _MOVES_NOTHING

    def is_move(self, number: int) -> bool:
        return self._is_move[number]

    def broadcasts(self, number: int) -> bool:
        """True if an elementwise eqn repeats the elements of an operand that is no scalar."""
        flow, graph = self.flow, self.flow.graph_of[number]
        shape = flow.result(number).shape
        operands = [flow.aval((graph, var)).shape for var in flow.eqns[number].invars]
        return self.is_elementwise(number) and any(one not in ([], shape) for one in operands)

    def moves_nothing(self, number: int, has_more: bool) -> bool:
        """True if an eqn leaves elements in place. `has_more` says that another instruction was
        made for it, too: then this eqn is a reduction, and does not change a shape."""
        op = self.ops[number]
        return op in _MOVES_NOTHING or (has_more and op.startswith(("reduce_", "arg", "cum")))

    def chain(self, number: int, near: Origin) -> Origin:
        """An eqn after those that contain it, if known: from one in the same graph, or because
        there is only one path to it. Else empty."""
        graphs = self.flow.graph_of
        if near and graphs[near[-1]] == graphs[number]:
            return (*near[:-1], number)
        found = (number,)
        while graphs[found[0]] != 0:
            holders = self.flow.held_by[graphs[found[0]]]
            if len(holders) != 1:
                return ()
            found = (holders[0][0], *found)
        return found

    def results(self, number: int) -> set[str]:
        eqn, graph = self.flow.eqns[number], self.flow.graph_of[number]
        return {self.flow.aval((graph, var)).dtype for var in eqn.outvars}

    def cast_before(self, number: int, from_: str, to: str, base: int | str) -> int | None:
        """The eqn for which a cast between these dtypes was made that an eqn uses. This is the eqn
        itself if it has an operand of the first dtype. Else it is one that casts an operand to the
        other dtype, and that comes from the `base` if it is known."""
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
        """The eqn for which a cast of an eqn's result was made: the eqn itself if its result has
        the second dtype, else one that casts its result to it."""
        results = self.results(number)
        if self.flow.eqns[number].bodies:
            return number
        casts = [one for one in self._after(number) if self._casts(one, from_, to)]
        if to in results:
            return number if from_ not in results else None
        return min(casts) if casts else None

    def moves_between(self, start: Origin | str, end: Origin) -> set[int]:
        """The eqns that move a result of one eqn, or the input of a path, before another eqn uses
        it; or before the program returns it, if `end` is empty."""
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
        flow = self.flow

        def made(one: int) -> list[int]:
            return [made for made in flow.makers(one) if made != OUTSIDE]

        found: set[int] = set()
        for starts, neighbours in ((makers, made), (users, flow.users)):
            for start in starts:
                if self.is_elementwise(start):
                    found |= self._passing(start, neighbours, self.is_elementwise)
        return {one for one in found if self.is_move(one)}

    def between(self, makers: Collection[int], users: Iterable[int]) -> set[int] | None:
        """The eqns on the paths from some eqns to others, without both; to the results of the
        program if there are no others. None if this takes long to find."""
        graphs = self.flow.graph_of
        first = self._first_of(makers)
        before: list[int] = []
        waiting = list(users) or [OUTSIDE]
        while waiting:
            for made in self._made_before(waiting.pop()):
                if made in makers or made in before or made < first.get(graphs[made], 0):
                    continue
                if made != OUTSIDE:
                    if len(before) == _PASSED_LIMIT:
                        return None
                    before.append(made)
                    waiting.append(made)
        return {one for one in before if not makers or self._follows(one, makers, before)}

    def _first_of(self, numbers: Iterable[int]) -> dict[int, int]:
        """For each graph that contains some eqns, also within a body, the first of these."""
        found: dict[int, int] = {}
        for number in numbers:
            holders = [(number, None)]
            while len(holders) == 1:
                [(number, _)] = holders
                graph = self.flow.graph_of[number]
                found[graph] = min(number, found.get(graph, number))
                holders = self.flow.held_by[graph]
        return found

    def _made_before(self, number: int) -> set[int]:
        """The makers of an eqn's operands, or of the results of the program."""
        if number != OUTSIDE:
            return set(self.flow.makers(number))
        return self.flow.results[0]

    def _follows(self, number: int, makers: Collection[int], within: Collection[int]) -> bool:
        """True if an eqn uses the results of some eqns, through others that are `within`."""
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
        """The path of the program's input that a value is; `LITERAL` for a literal, and empty for
        other values."""
        graph, var = value
        if var >= 0 and self.flow.stage.graphs[graph].vars[var].literal:
            return LITERAL
        return self._inputs.get(value[1], "") if value[0] == 0 else ""

    def bases(self, number: int) -> list[int | str]:
        """The values that the operands of an eqn come from, moved and cast: eqns by their numbers,
        inputs by their paths."""
        return [self._base(made, value) for made, value in self.flow.sources(number)]

    def base(self, number: int) -> int | str:
        """The source of an eqn's result: the eqn itself, unless it only moves or casts."""
        return self._base(number, (0, -1))

    def _base(self, made: int, value: tuple[int, int]) -> int | str:
        while made != OUTSIDE and self._passes[made]:
            made, value = self.flow.sources(made)[0]
        if made == OUTSIDE:
            return self.input_path(value)
        return LITERAL if self.ops[made] == "constant" else made

    def only_passes(self, number: int) -> bool:
        return self._passes[number]

    def _casts(self, number: int, from_: str, to: str) -> bool:
        flow = self.flow
        cast = self.ops[number] in _CASTS
        return cast and flow.operand(number).dtype == from_ and flow.result(number).dtype == to

    def _before(self, number: int) -> set[int]:
        """The eqns that move and cast the operands of an eqn, back to their source."""

        def made(one: int) -> list[int]:
            return [made for made in self.flow.makers(one) if made != OUTSIDE]

        return self._passing(number, made, self.only_passes)

    def _after(self, number: int) -> set[int]:
        """The eqns that move and cast the results of an eqn, before others use them."""
        return self._passing(number, self.flow.users, self.only_passes)

    @staticmethod
    def _passing(
        number: int, neighbours: Callable[[int], list[int]], passes: Callable[[int], bool]
    ) -> set[int]:
        """The eqns for which `passes` is true, on paths of such eqns from an eqn."""
        found: set[int] = set()
        waiting = [number]
        while waiting and len(found) < _PASSED_LIMIT:
            for one in neighbours(waiting.pop()):
                if one not in found and passes(one):
                    found.add(one)
                    waiting.append(one)
        return found

    def _operands(self, number: int) -> list[schema.Var]:
        graph = self.flow.stage.graphs[self.flow.graph_of[number]]
        return [graph.vars[var] for var in self.flow.eqns[number].invars]

    def _is_constant(self, number: int) -> bool:
        pairs = zip(self.flow.makers(number), self._operands(number), strict=True)
        known = [made in self._constants or var.literal for made, var in pairs]
        is_first = bool(known) or self.ops[number] == "constant"
        return is_first and all(known) and not self.flow.eqns[number].bodies
