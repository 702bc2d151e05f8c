"""How much two eqns look alike: which pairs of a small gap are best."""

from __future__ import annotations

from collections import Counter

from jaxviz import schema
from jaxviz.analysis.compare.sequences import Pairs
from jaxviz.analysis.compare.view import View

AKIN = 0.5
"""Of the ops of two bodies with different names so many must be in both."""

FEW = 16
"""Users of a variable that are looked at."""


class Likeness:
    """Of the eqns of two graphs, of which `found` are matched."""

    def __init__(self, before: View, after: View, found: Pairs) -> None:
        self.before = before
        self.after = after
        self.partner = dict(found)
        self._ops: dict[tuple[int, int], Counter[str]] = {}

    def best(self, gap: tuple[int, int, int, int]) -> Pairs:
        """The pairs of a gap whose likeness is most in all, and never cross."""
        a, b, c, d = gap
        best = [[0.0] * (d - c + 1) for _ in range(b - a + 1)]
        for i in range(b - a - 1, -1, -1):
            row, below = best[i], best[i + 1]
            for j in range(d - c - 1, -1, -1):
                own = self.of(a + i, c + j)
                row[j] = max(below[j], row[j + 1], below[j + 1] + own if own else 0.0)
        pairs: Pairs = []
        i = j = 0
        while i < b - a and j < d - c:
            if best[i][j] == best[i + 1][j]:
                i += 1
            elif best[i][j] == best[i][j + 1]:
                j += 1
            else:
                pairs.append((a + i, c + j))
                i, j = i + 1, j + 1
        self.partner.update(pairs)
        return pairs

    def of(self, a: int, b: int) -> float:
        """0 where nothing but the op is alike."""
        if self.before.ops[a] != self.after.ops[b]:
            return 0.0
        one, other = self.before.graph.eqns[a], self.after.graph.eqns[b]
        same = self.before.heads[a] == self.after.heads[b]
        if not same and one.name != other.name and not self._akin(one, other):
            return 0.0
        operands = self._operands(one, other)
        users = self._users(one, other)
        if operands + users == 0 and not (same and (one.params or one.bodies)):
            return 0.0
        return 1 + 2 * same + 2 * operands + users

    def _operands(self, one: schema.Eqn, other: schema.Eqn) -> float:
        """Which part of the operands is the same."""
        most = max(len(one.invars), len(other.invars))
        alike = map(self._operand, one.invars, other.invars)
        return sum(alike) / most if most else 0.0

    def _operand(self, a: int, b: int) -> float:
        one, other = self.before, self.after
        if a in one.made and b in other.made:
            (at, place), (there, where) = one.made[a], other.made[b]
            if place != where or one.ops[at] != other.ops[there]:
                return 0.0
            if at in self.partner:
                return float(self.partner[at] == there)
            return 0.5
        if a in one.made or b in other.made:
            return 0.0
        return float(one.source(a) == other.source(b))

    def _users(self, one: schema.Eqn, other: schema.Eqn) -> float:
        """1 where a user is the same, 1/2 where one may be."""
        return max(map(self._used, one.outvars, other.outvars), default=0.0)

    def _used(self, a: int, b: int) -> float:
        one, other = self.before, self.after
        if not {*one.ends.get(a, ())}.isdisjoint(other.ends.get(b, ())):
            return 1.0
        users, others = one.users[a][:FEW], other.users[b][:FEW]
        if any((self.partner.get(at, -1), place) in others for at, place in users):
            return 1.0
        ops = {(one.ops[at], place) for at, place in users}
        return 0.5 if any((other.ops[at], place) in ops for at, place in others) else 0.0

    def _akin(self, one: schema.Eqn, other: schema.Eqn) -> bool:
        """Whether most of the ops in what they call are the same."""
        if not one.bodies or not other.bodies:
            return False
        ops, others = self._held(0, self.before, one), self._held(1, self.after, other)
        both = (ops & others).total()
        return both >= AKIN * max(ops.total(), others.total())

    def _held(self, side: int, view: View, eqn: schema.Eqn) -> Counter[str]:
        graph = eqn.bodies[0].graph
        if (side, graph) not in self._ops:
            eqns = view.side.graphs[graph].eqns
            self._ops[side, graph] = Counter(each.op for each in eqns)
        return self._ops[side, graph]
