"""Guesses at what an eqn of a later stage was made for, where neither JAX nor XLA says so.

A guess is made for an eqn that serves others, if all of these were made for the same eqn of the
jaxpr, and no other eqn of the jaxpr lies between that it could have come from:

- A constant, and what broadcasts it, was made for what its one user was made for, if that eqn has a
  literal or is one that JAX lowers with a constant. It may be known to be within a loop already.
- A copy between two eqns, of which one uses the other's result as it is, was made for the user.
- A tuple was made for the loop or branch that takes it apart, or whose body makes it or takes it
  apart; a part of another tuple for what the tuple was made for.
- A product of arrays that is only moved afterwards was made for the eqn that it is moved for, if
  that is a product and no other instruction was made for it.
- What a reduction, a scatter or a sort applies to elements was made for that eqn.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.analysis.links.known_origins import MOVES, GraphHolder, Origin
from jaxviz.ops import row_of

_BROADCASTS = frozenset(("broadcast", "broadcast_in_dim"))
_CONTRACTIONS = frozenset(("dot", "convolution"))
_COPIES = frozenset(("copy", "bitcast", "copy_done"))


class Guesses:
    """Guesses for the eqns of one graph of a later stage."""

    def __init__(
        self,
        graph: schema.Graph,
        avals: list[schema.Aval],
        jaxpr: JaxprEqns,
        holder: GraphHolder | None,
    ) -> None:
        self._graph = graph
        self._avals = avals
        self._holder = holder
        self._jaxpr = jaxpr
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
        """The graph with its guesses."""
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
        """A guess from the users of an eqn, whose own guesses come first; empty for none."""
        op = self._ops[at]
        origin = self._common(self._users[at])
        known = self._origins[at]
        if origin[: len(known)] != known:
            return ()
        if not origin or op == "tuple":
            return origin
        if op == "constant" or (op in _BROADCASTS and self._of_constant(at)):
            return origin if self._jaxpr.has_constant(origin[-1]) else ()
        if op in _COPIES:
            return origin if self._directly(at, origin) else ()
        return origin if op in _CONTRACTIONS and self._is_only(at, origin) else ()

    def _is_only(self, at: int, origin: Origin) -> bool:
        """Whether a product that is moved for its eqn is the only one that could be that eqn's."""
        return (
            self._jaxpr.is_contraction(origin[-1])
            and origin not in self._products
            and all(self._ops[user] in MOVES for user in self._users[at])
        )

    def _within(self, at: int) -> Origin:
        """A guess for what hands on the parts of a tuple, or is applied to elements."""
        holder = self._holder
        if holder is not None and holder.applied:
            return holder.origin
        operands = self._operands(at)
        if self._ops[at] == "get_tuple_element" and operands != {-1}:
            return self._common(operands)
        is_border = self._ops[at] == "get_tuple_element" or (
            self._ops[at] == "tuple" and at in self._kept
        )
        return holder.origin if holder is not None and is_border else ()

    def _of_constant(self, at: int) -> bool:
        """Whether all operands of an eqn are constants."""
        return all(made >= 0 and self._ops[made] == "constant" for made in self._operands(at))

    def _directly(self, at: int, origin: Origin) -> bool:
        """Whether the eqn that a copy is for uses what is copied as it is."""
        [var] = self._graph.eqns[at].invars
        if not self._same_type(var, self._graph.eqns[at].outvars[0]):
            return False
        if var not in self._makers:
            path = self._paths.get(var, "")
            return bool(path) and self._jaxpr.uses_input(origin[-1], path)
        made = self._makers[var]
        if self._ops[made] == "constant":
            return self._jaxpr.has_constant(origin[-1])
        before = self._origins[made]
        return bool(before) and self._jaxpr.uses(origin[-1], before[-1])

    def _same_type(self, one: int, other: int) -> bool:
        found = [self._avals[self._graph.vars[var].aval] for var in (one, other)]
        return found[0].text == found[1].text

    def _operands(self, at: int) -> set[int]:
        """The eqns that make an eqn's operands; -1 for what comes from outside of the graph."""
        return {self._makers.get(var, -1) for var in self._graph.eqns[at].invars}

    def _common(self, around: Iterable[int]) -> Origin:
        """The origin that all of some eqns have; empty where one has none, or they differ."""
        origins = {self._origins[at] if at >= 0 else () for at in around}
        return origins.pop() if len(origins) == 1 else ()
