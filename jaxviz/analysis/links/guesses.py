"""Guesses at what an eqn of a later stage was made for, where neither JAX nor XLA says so.

They are made for what serves other eqns, where all of those agree, and where no eqn of the jaxpr
lies between that could have become it:

- a constant, and what spreads it, for the one eqn that uses it, if that one has a literal or
  belongs to those that JAX lowers with a constant; it may be known to be within a loop already;
- a copy between two eqns of which one uses the other's result as it is, for the one that uses it;
- a tuple for the loop or the branch that takes it apart, or whose body makes or takes apart; a part
  of another tuple for its maker;
- a product of arrays that is only moved, for the product whose eqn it is moved for, if no other
  instruction is that;
- what a reduction, a scatter or a sort applies to elements, for that one.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.doubts import MOVES
from jaxviz.analysis.links.holders import Around, Origin
from jaxviz.analysis.links.made import Made
from jaxviz.ops import row_of

_SPREADS = frozenset(("broadcast", "broadcast_in_dim"))
_CONTRACTIONS = frozenset(("dot", "convolution"))
_COPIES = frozenset(("copy", "bitcast", "copy_done"))


class Guesses:
    """Of one graph."""

    def __init__(
        self, graph: schema.Graph, avals: list[schema.Aval], made: Made, around: Around | None
    ) -> None:
        self._graph = graph
        self._avals = avals
        self._around = around
        self._made = made
        self._origins: list[Origin] = [tuple(eqn.origin) for eqn in graph.eqns]
        self._ops = [row_of(eqn.op).name for eqn in graph.eqns]
        self._makers = {var: at for at, eqn in enumerate(graph.eqns) for var in eqn.outvars}
        self._users: list[set[int]] = [set() for _ in graph.eqns]
        for at, eqn in enumerate(graph.eqns):
            for var in eqn.invars:
                if var in self._makers:
                    self._users[self._makers[var]].add(at)
        contracted = (at for at, op in enumerate(self._ops) if op in _CONTRACTIONS)
        self._products = {self._origins[at] for at in contracted}
        self._paths = dict(zip(graph.invars, graph.args, strict=True))
        self._kept = {self._makers[var] for var in graph.outvars if var in self._makers}

    def graph(self) -> schema.Graph:
        order = range(len(self._origins))
        for at in reversed(order):
            if at not in self._kept and (not self._origins[at] or self._ops[at] == "constant"):
                self._origins[at] = self._for_users(at) or self._origins[at]
        for at in order:
            if not self._origins[at]:
                self._origins[at] = self._within(at)
        eqns = [
            eqn if tuple(eqn.origin) == origin else replace(eqn, origin=list(origin), guess=True)
            for eqn, origin in zip(self._graph.eqns, self._origins, strict=True)
        ]
        return replace(self._graph, eqns=eqns)

    def _for_users(self, at: int) -> Origin:
        """Of what serves the eqns that use it; those come first."""
        op = self._ops[at]
        origin = self._common(self._users[at])
        known = self._origins[at]
        if origin[: len(known)] != known:
            return ()
        if not origin or op == "tuple":
            return origin
        if op == "constant" or (op in _SPREADS and self._of_constant(at)):
            return origin if self._made.has_constant(origin[-1]) else ()
        if op in _COPIES:
            return origin if self._directly(at, origin) else ()
        return origin if op in _CONTRACTIONS and self._is_only(at, origin) else ()

    def _is_only(self, at: int, origin: Origin) -> bool:
        """Whether a product that is moved for its eqn is the only one that could be that eqn's."""
        return (
            self._made.is_contraction(origin[-1])
            and origin not in self._products
            and all(self._ops[user] in MOVES for user in self._users[at])
        )

    def _within(self, at: int) -> Origin:
        """Of what hands on the parts of a tuple, or is applied to elements."""
        around = self._around
        if around is not None and around.applied:
            return around.origin
        operands = self._operands(at)
        if self._ops[at] == "get_tuple_element" and operands != {-1}:
            return self._common(operands)
        is_border = self._ops[at] == "get_tuple_element" or (
            self._ops[at] == "tuple" and at in self._kept
        )
        return around.origin if around is not None and is_border else ()

    def _of_constant(self, at: int) -> bool:
        return all(made >= 0 and self._ops[made] == "constant" for made in self._operands(at))

    def _directly(self, at: int, origin: Origin) -> bool:
        """Whether the eqn that a copy is for uses what is copied as it is."""
        [var] = self._graph.eqns[at].invars
        if not self._same_type(var, self._graph.eqns[at].outvars[0]):
            return False
        if var not in self._makers:
            path = self._paths.get(var, "")
            return bool(path) and self._made.uses_input(origin[-1], path)
        made = self._makers[var]
        if self._ops[made] == "constant":
            return self._made.has_constant(origin[-1])
        before = self._origins[made]
        return bool(before) and self._made.uses(origin[-1], before[-1])

    def _same_type(self, one: int, other: int) -> bool:
        found = [self._avals[self._graph.vars[var].aval] for var in (one, other)]
        return found[0].text == found[1].text

    def _operands(self, at: int) -> set[int]:
        """The eqns that make them, -1 for those that come from outside."""
        return {self._makers.get(var, -1) for var in self._graph.eqns[at].invars}

    def _common(self, around: Iterable[int]) -> Origin:
        """The origin that all of them have; empty where one has none, or they differ."""
        origins = {self._origins[at] if at >= 0 else () for at in around}
        return origins.pop() if len(origins) == 1 else ()
