"""The origins of a later stage's eqns, and the nearest linked eqns around each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE, Dataflow, Value
from jaxviz.analysis.links.jaxpr_eqns import LITERAL, JaxprEqns, Origin
from jaxviz.ops import row_of

MOVES = frozenset(("bitcast", "copy", "reshape", "transpose", "broadcast", "broadcast_in_dim"))
"""Instructions that move or repeat elements and change none."""
_MOVEMENT = MOVES | {"tuple", "get_tuple_element"}
_CASTS = frozenset(("convert", "convert_element_type"))
_SEARCH_LIMIT = 256
"""The most eqns without a link that a search for linked ones visits."""


class Neighbours(NamedTuple):
    """The nearest linked eqns on one side of an eqn."""

    eqns: list[int]
    all_linked: bool
    """True if every path leads to one of them, or out of the graph."""
    at_border: bool
    """True if a path leads out of the graph: to its inputs, or to its results."""
    passes_unlinked: bool
    """True if a path leads through another eqn without a link, which may get one later."""


class LinkedStage:
    """The origins of all eqns of a stage. Guesses are added one by one."""

    def __init__(self, stage: schema.Stage, jaxpr: JaxprEqns) -> None:
        self.flow = Dataflow(stage)
        self.ops = self.flow.ops
        self.jaxpr = jaxpr
        self.origins: list[Origin] = [eqn.origin for eqn in self.flow.eqns]
        self._is_cast = [op in _CASTS and self._casts(at) for at, op in enumerate(self.ops)]
        self._is_movement = [
            cast or op in _MOVEMENT for cast, op in zip(self._is_cast, self.ops, strict=True)
        ]
        self.moved: set[int] = set()
        """The eqns of the jaxpr that are origins of an instruction which moves or casts values."""
        self.computed: set[Origin] = set()
        """The origins of computing eqns. An eqn of a body in several eqns has a different origin in
        each."""
        self.added = 0
        """The number of links added so far."""
        self.visited: dict[int, float] = {}
        """The number of links when an eqn was last visited. It is infinite if all eqns around it
        are linked, so that no further link helps."""
        for number, origin in enumerate(self.origins):
            if self._is_movement[number]:
                self.moved.update(origin[-1:])
            elif origin not in self.computed:
                self.add(number, origin)

    def add(self, number: int, origin: Origin) -> None:
        self.origins[number] = origin
        self.added += 1
        if origin and not self._is_movement[number] and self.ops[number] != "constant":
            base = self.jaxpr.base(origin[-1])
            near = origin if isinstance(base, str) else self.jaxpr.origin_of(base, origin)
            self.computed.update((origin, near))

    def makers(self, number: int) -> Neighbours:
        """The nearest linked makers of an eqn's operands, without constants."""
        return self._neighbours(number, upwards=True)

    def users(self, number: int) -> Neighbours:
        """The nearest linked users of an eqn's results."""
        return self._neighbours(number, upwards=False)

    def eqns(self, numbers: Iterable[int]) -> set[int]:
        """The innermost eqn of the jaxpr to which each of these instructions is linked."""
        return {self.origins[number][-1] for number in numbers}

    def first(self, origins: Iterable[Origin]) -> Origin:
        """The first origin in the program, since XLA merges equal instructions. Empty if there is
        none, or one is empty."""
        found = sorted(set(origins), key=lambda origin: origin[-1:])
        return found[0] if found else ()

    def is_movement(self, number: int) -> bool:
        """True if an eqn only moves elements, casts them, or groups them in tuples."""
        return self._is_movement[number]

    def input_path(self, number: int) -> str:
        """The path of the program's input whose elements an eqn moves; empty for another value."""
        made, value = self.source_before_moves(*self.flow.sources(number)[0])
        return self.path_of_input(value) if made == OUTSIDE else ""

    def source_before_moves(self, made: int, value: Value) -> tuple[int, Value]:
        """The source of a value before eqns that only move it, as in `Dataflow.sources`."""
        while made != OUTSIDE and self._is_movement[made] and (before := self.flow.sources(made)):
            made, value = before[0]
        return made, value

    def base(self, made: int, value: Value) -> int | str:
        """The source of a value before moves and casts: an eqn of the jaxpr, or the path of an
        input; empty if unknown."""
        made, value = self.source_before_moves(made, value)
        if made == OUTSIDE:
            return self.path_of_input(value)
        if self.ops[made] == "constant":
            return LITERAL
        return self.jaxpr.base(self.origins[made][-1]) if self.origins[made] else ""

    def path_of_input(self, value: Value) -> str:
        """The path of an input of the program; empty for an input of a body."""
        graph, var = value
        first = self.flow.stage.graphs[0]
        return first.args[first.invars.index(var)] if graph == 0 else ""

    def is_cast(self, number: int) -> bool:
        """True if an eqn converts one floating-point type to another."""
        return self._is_cast[number]

    def is_of_constant(self, number: int) -> bool:
        """True if an eqn is a constant, or broadcasts one."""
        while self.ops[number] in MOVES and (made := self.flow.makers(number)):
            if made[0] == OUTSIDE:
                return False
            number = made[0]
        return self.ops[number] == "constant"

    def is_applied(self, number: int) -> bool:
        """True if an eqn is in a body that is applied to single elements."""
        callers = (self.flow.eqns[one] for one, _ in self.flow.callers[self.flow.graph_of[number]])
        return any(
            row_of(one.op).bodies in ("", "applied") and one.op not in ("fusion", "custom-call")
            for one in callers
        )

    def _casts(self, number: int) -> bool:
        both = self.flow.operand(number).dtype, self.flow.result(number).dtype
        return all("float" in dtype for dtype in both) and both[0] != both[1]

    def _neighbours(self, number: int, *, upwards: bool) -> Neighbours:
        neighbours, leaving = self.flow.makers if upwards else self.flow.users, self.flow.leaving
        found: list[int] = []
        all_linked, at_border, passes_unlinked = True, False, False
        seen = {number}
        waiting = [number]
        while waiting:
            one = waiting.pop()
            at_border |= not upwards and one in leaving
            for other in neighbours(one):
                at_border |= other == OUTSIDE
                if other == OUTSIDE or other in seen:
                    continue
                seen.add(other)
                if upwards and self.is_of_constant(other):
                    continue
                if self.origins[other]:
                    found.append(other)
                elif self._is_movement[other] and len(seen) < _SEARCH_LIMIT:
                    passes_unlinked = True
                    waiting.append(other)
                else:
                    all_linked = False
        return Neighbours(found, all_linked, at_border, passes_unlinked)
