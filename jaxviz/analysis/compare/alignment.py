"""Which eqns of one graph correspond to which of another, in an order that never crosses.

Both graphs are in topological order. A chain of pairs that never crosses keeps the union of the two
in a topological order as well.

Eqns that compute the same, or are needed for the same, are paired first if there is no doubt. The
eqns in the gaps between these pairs are paired by similarity, if a gap is small enough to try every
pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from jaxviz import schema
from jaxviz.analysis.compare.sequences import Pairs, anchors, common, few_edits
from jaxviz.analysis.compare.value_numbers import NumberedGraph

SMALL_GAP = 3_000
"""The most pairs of eqns in a gap for which every pair is tried."""
SHARED_OPS = 0.5
"""The part of their ops that two bodies with different names must share to count as alike."""
USERS_LOOKED_AT = 16
"""The most users of a variable that are compared, so that one with thousands costs no more."""

Gap = tuple[int, int, int, int]
"""`(a, b, c, d)`: the eqns `[a, b)` of the earlier graph, and `[c, d)` of the later one."""


def aligned(before: NumberedGraph, after: NumberedGraph) -> Pairs:
    """The pairs of eqns that correspond, as their indices in both graphs, in order."""
    found: Pairs = []
    for often, keys in SUREST_FIRST:
        if not any(gaps(found, before, after)):
            return found
        found = refined(found, before, after, keys, lambda a, b, often=often: anchors(a, b, often))
    if any(gaps(found, before, after, SMALL_GAP + 1)):
        found = refined(found, before, after, lambda g: g.operations, few_edits, SMALL_GAP + 1)
        found = refined(found, before, after, NumberedGraph.by_neighbours, common, SMALL_GAP + 1)
    likeness = Likeness(before, after, found)
    small = (gap for gap in gaps(found, before, after) if area(gap) <= SMALL_GAP)
    return sorted([*found, *chain.from_iterable(map(likeness.best_pairs, small))])


SUREST_FIRST: list[tuple[bool, Callable[[NumberedGraph], list[int]]]] = [
    (True, NumberedGraph.by_inputs),
    (True, NumberedGraph.by_ops_from_inputs),
    (False, NumberedGraph.by_uses),
    (False, NumberedGraph.by_neighbours),
]
"""The keys for pairing eqns, the surest first. The flag is True if several eqns with the
same number are paired in their order."""


def refined(
    found: Pairs,
    before: NumberedGraph,
    after: NumberedGraph,
    keys: Callable[[NumberedGraph], list[int]],
    search: Callable[[Sequence[int], Sequence[int]], Pairs],
    least: int = 1,
) -> Pairs:
    """The pairs, with those added that `search` finds in each gap of at least `least` pairs.

    `keys` numbers the eqns of a graph. `search` takes the numbers in a gap.
    """
    one, other = keys(before), keys(after)
    more: Pairs = []
    for a, b, c, d in gaps(found, before, after, least):
        more += [(a + x, c + y) for x, y in search(one[a:b], other[c:d])]
    return sorted([*found, *more])


def gaps(
    found: Pairs, before: NumberedGraph, after: NumberedGraph, least: int = 1
) -> Iterator[Gap]:
    """The gaps between pairs in which at least `least` further pairs are possible."""
    a = c = 0
    for b, d in [*found, (len(before.ops), len(after.ops))]:
        if area((a, b, c, d)) >= least:
            yield a, b, c, d
        a, c = b + 1, d + 1


def area(gap: Gap) -> int:
    """The number of possible pairs in a gap."""
    a, b, c, d = gap
    return (b - a) * (d - c)


class Likeness:
    """The similarity of two eqns, based on the pairs `found` so far."""

    def __init__(self, before: NumberedGraph, after: NumberedGraph, found: Pairs) -> None:
        self.before = before
        self.after = after
        self.partner = dict(found)
        self._ops_in_body: dict[tuple[int, int], Counter[str]] = {}

    def best_pairs(self, gap: Gap) -> Pairs:
        """The pairs of a gap that never cross and have the greatest sum of similarities.

        Found by dynamic programming over all pairs, as in the longest common subsequence.
        """
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
        """The similarity of the eqns `a` and `b`: 0 if they have at most their op in common."""
        if self.before.ops[a] != self.after.ops[b]:
            return 0.0
        one, other = self.before.graph.eqns[a], self.after.graph.eqns[b]
        same = self.before.operations[a] == self.after.operations[b]
        if not same and one.name != other.name and not self._call_alike(one, other):
            return 0.0
        operands = self._operands(one, other)
        users = self._users(one, other)
        if operands + users == 0 and not (same and (one.params or one.bodies)):
            return 0.0
        return 1 + 2 * same + 2 * operands + users

    def _operands(self, one: schema.Eqn, other: schema.Eqn) -> float:
        """The share of operands that are the same, from 0 to 1."""
        count = max(len(one.invars), len(other.invars))
        return sum(map(self._operand, one.invars, other.invars)) / count if count else 0.0

    def _operand(self, a: int, b: int) -> float:
        """1 if two operands are the same, 1/2 if they may be."""
        one, other = self.before, self.after
        if a in one.makers and b in other.makers:
            (maker, place), (other_maker, other_place) = one.makers[a], other.makers[b]
            if place != other_place or one.ops[maker] != other.ops[other_maker]:
                return 0.0
            if maker in self.partner:
                return float(self.partner[maker] == other_maker)
            return 0.5
        if a in one.makers or b in other.makers:
            return 0.0
        return float(one.maker(a) == other.maker(b))

    def _users(self, one: schema.Eqn, other: schema.Eqn) -> float:
        """1 if a user of a result is the same, 1/2 if one may be."""
        return max(map(self._result_users, one.outvars, other.outvars), default=0.0)

    def _result_users(self, a: int, b: int) -> float:
        one, other = self.before, self.after
        if not {*one.results.get(a, ())}.isdisjoint(other.results.get(b, ())):
            return 1.0
        users, others = one.users[a][:USERS_LOOKED_AT], other.users[b][:USERS_LOOKED_AT]
        if any((self.partner.get(at, -1), place) in others for at, place in users):
            return 1.0
        ops = {(one.ops[at], place) for at, place in users}
        return 0.5 if any((other.ops[at], place) in ops for at, place in others) else 0.0

    def _call_alike(self, one: schema.Eqn, other: schema.Eqn) -> bool:
        """True if the bodies that two eqns call share most of their ops."""
        if not one.bodies or not other.bodies:
            return False
        ops = self._ops_called(0, self.before, one)
        others = self._ops_called(1, self.after, other)
        both = (ops & others).total()
        return both >= SHARED_OPS * max(ops.total(), others.total())

    def _ops_called(self, side: int, numbered: NumberedGraph, eqn: schema.Eqn) -> Counter[str]:
        graph = eqn.bodies[0].graph
        if (side, graph) not in self._ops_in_body:
            eqns = numbered.stage.graphs[graph].eqns
            self._ops_in_body[side, graph] = Counter(each.op for each in eqns)
        return self._ops_in_body[side, graph]
