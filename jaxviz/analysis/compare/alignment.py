"""Corresponding eqns of two graphs: first those in the same order in both, then those that moved.

Both graphs are in topological order. Pairs that never cross keep the union of the two in a
topological order, too. Eqns that compute the same, or are used for the same, are paired first if
there is no doubt. The eqns in the gaps between these pairs are paired by similarity, if a gap is
small enough to try every pair. If two lines changed places, only one of them is paired so far. At
last, the other one is paired with the eqn that does the same with the same operands, wherever it
is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from jaxviz import schema
from jaxviz.analysis.compare.sequences import Pairs, anchors, common, few_edits, increasing
from jaxviz.analysis.compare.value_numbers import NumberedGraph

SMALL_GAP = 3_000
"""The most pairs of eqns in a gap for which every pair is tried."""
SHARED_OPS = 0.5
"""The share of their ops that two bodies with different names must have in common to count as
alike."""
USERS_LOOKED_AT = 16
"""The most users of a variable that are compared, to limit the time."""

Gap = tuple[int, int, int, int]
"""`(a, b, c, d)`: the eqns `[a, b)` of the earlier graph, and `[c, d)` of the later one."""


def aligned(before: NumberedGraph, after: NumberedGraph) -> Pairs:
    """The pairs of eqns that correspond, as their indices in both graphs, in order."""
    found: Pairs = []
    for keys, repeated in KEYS:
        if not any(gaps(found, before, after)):
            return found
        found = refined(
            found, before, after, keys, lambda a, b, repeated=repeated: anchors(a, b, repeated)
        )
    if any(gaps(found, before, after, SMALL_GAP + 1)):
        found = refined(found, before, after, lambda g: g.operations, few_edits, SMALL_GAP + 1)
        found = refined(found, before, after, NumberedGraph.by_neighbours, common, SMALL_GAP + 1)
    similarity = Similarity(before, after, found)
    small = (gap for gap in gaps(found, before, after) if area(gap) <= SMALL_GAP)
    return sorted([*found, *chain.from_iterable(map(similarity.best_pairs, small))])


KEYS: list[tuple[Callable[[NumberedGraph], list[int]], bool]] = [
    (NumberedGraph.by_inputs, True),
    (NumberedGraph.by_ops_from_inputs, True),
    (NumberedGraph.by_uses, False),
    (NumberedGraph.by_neighbours, False),
]
"""The keys for pairing eqns, the most certain first. The flag is True if several eqns with the same
number are paired in their order."""


def refined(
    found: Pairs,
    before: NumberedGraph,
    after: NumberedGraph,
    keys: Callable[[NumberedGraph], list[int]],
    search: Callable[[Sequence[int], Sequence[int]], Pairs],
    least: int = 1,
) -> Pairs:
    """The pairs, with those that `search` finds in each gap of at least `least` possible pairs.

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


class Similarity:
    """The similarity of eqns, which depends on the pairs found so far."""

    def __init__(self, before: NumberedGraph, after: NumberedGraph, found: Pairs) -> None:
        self.before = before
        self.after = after
        self.partner = dict(found)
        self._ops_in_body: dict[tuple[int, int], Counter[str]] = {}

    def best_pairs(self, gap: Gap) -> Pairs:
        """The pairs of a gap that never cross and have the greatest sum of similarities. Found by
        dynamic programming over all pairs, as in the longest common subsequence."""
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
        """The similarity of the eqns `a` and `b`: 0 if they have only their op in common, or
        nothing."""
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
        """1 if two operands are the same, 1/2 if that is unknown, 0 if they differ."""
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
        """1 if a result has the same user in both, 1/2 if that is unknown, else 0."""
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


Partners = dict[int, int]


def with_moved_eqns(
    before: NumberedGraph, after: NumberedGraph, pairs: Partners, binders: Partners
) -> Partners:
    """The pairs of eqns, and those of eqns that do the same with the same operands elsewhere.

    `binders` maps the earlier graph's inputs and consts to the later one's.
    """
    taken = set(pairs.values())
    rest = [at for at in range(len(before.ops)) if at not in pairs]
    others = [at for at in range(len(after.ops)) if at not in taken]
    if not rest or not others:
        return pairs
    same = _MovedEqns(before, after, pairs, binders)
    same.pair_by_operands(rest, others)
    same.pair_by_users(rest, others)
    return same.pairs


def moved_places(pairs: Partners) -> set[int]:
    """The later places of the pairs that moved: those outside the longest chain of pairs in
    order."""
    ordered = sorted(pairs.items())
    return {b for _, b in ordered} - {b for _, b in increasing(ordered)}


class _MovedEqns:
    """Pairs eqns that do the same with the same operands."""

    def __init__(
        self, before: NumberedGraph, after: NumberedGraph, pairs: Partners, binders: Partners
    ) -> None:
        self.before = before
        self.after = after
        self.pairs = dict(pairs)
        self.partner = dict(binders)
        """Maps variables of the earlier graph to those of the later one."""
        for a, b in pairs.items():
            self._pair_results(a, b)

    def pair_by_operands(self, rest: list[int], others: list[int]) -> None:
        """Partners the eqns whose operands all have partners, in their order."""
        waiting: dict[tuple[object, ...], list[int]] = {}
        for b in reversed(others):
            operands = self._operands(self.after, b)
            waiting.setdefault((self.after.operations[b], *operands), []).append(b)
        for a in rest:
            operands = [self._partner_of(one) for one in self._operands(self.before, a)]
            found = waiting.get((self.before.operations[a], *operands))
            if found and None not in operands:
                self._pair(a, found.pop())

    def pair_by_users(self, rest: list[int], others: list[int]) -> None:
        """Partners two eqns if no others have the same operation and users, and if the operands of
        both may match."""
        rest = [at for at in rest if at not in self.pairs]
        taken = set(self.pairs.values())
        others = [at for at in others if at not in taken]
        if not rest or not others:
            return
        uses, other_uses = self.before.by_uses(), self.after.by_uses()
        keys = {at: (self.before.operations[at], uses[at]) for at in rest}
        other_keys = {at: (self.after.operations[at], other_uses[at]) for at in others}
        count, other_count = Counter(keys.values()), Counter(other_keys.values())
        places = {key: at for at, key in other_keys.items()}
        for a, key in keys.items():
            if count[key] == other_count[key] == 1 and self._may_match(a, places[key]):
                self._pair(a, places[key])

    def _may_match(self, a: int, b: int) -> bool:
        """True if no operands certainly differ. An operand without a partner in one graph may match
        one without a partner in the other."""
        partners = set(self.partner.values())
        pairs = zip(self._operands(self.before, a), self._operands(self.after, b), strict=False)
        return all(
            self._partner_of(one) in (None, other)
            or (isinstance(other, int) and other not in partners)
            for one, other in pairs
        )

    def _operands(self, side: NumberedGraph, at: int) -> list[int | str]:
        """The variables that an eqn reads; the number of a literal."""
        variables = side.graph.vars
        return [
            f"literal {side.stage.literal(side.graph, var)}" if variables[var].literal else var
            for var in side.graph.eqns[at].invars
        ]

    def _partner_of(self, operand: int | str) -> int | str | None:
        return self.partner.get(operand) if isinstance(operand, int) else operand

    def _pair(self, a: int, b: int) -> None:
        self.pairs[a] = b
        self._pair_results(a, b)

    def _pair_results(self, a: int, b: int) -> None:
        one, other = self.before.graph.eqns[a].outvars, self.after.graph.eqns[b].outvars
        self.partner.update(zip(one, other, strict=False))
