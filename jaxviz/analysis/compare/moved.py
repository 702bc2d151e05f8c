"""Finds eqns that moved to another place.

The alignment of two graphs never crosses. If two lines changed places, it pairs only one of them;
this module pairs the other one.
"""

from __future__ import annotations

from collections import Counter

from jaxviz.analysis.compare.sequences import increasing
from jaxviz.analysis.compare.value_numbers import NumberedGraph

Pairs = dict[int, int]


def with_moved(before: NumberedGraph, after: NumberedGraph, pairs: Pairs, binders: Pairs) -> Pairs:
    """The pairs of eqns, and further pairs of eqns that do the same with the same operands.

    `binders` maps the earlier graph's inputs and consts to the later one's.
    """
    taken = set(pairs.values())
    rest = [at for at in range(len(before.ops)) if at not in pairs]
    others = [at for at in range(len(after.ops)) if at not in taken]
    if not rest or not others:
        return pairs
    same = _Same(before, after, pairs, binders)
    same.pair_by_operands(rest, others)
    same.pair_by_users(rest, others)
    return same.pairs


def moved(pairs: Pairs) -> set[int]:
    """The later places outside the longest chain of pairs that keep their order."""
    ordered = sorted(pairs.items())
    return {b for _, b in ordered} - {b for _, b in increasing(ordered)}


class _Same:
    """Finds eqns that do the same, based on the pairs found so far."""

    def __init__(
        self, before: NumberedGraph, after: NumberedGraph, pairs: Pairs, binders: Pairs
    ) -> None:
        self.before = before
        self.after = after
        self.pairs = dict(pairs)
        self.partner = dict(binders)
        """Maps variables of the earlier graph to those of the later one."""
        for a, b in pairs.items():
            self._pair_results(a, b)

    def pair_by_operands(self, rest: list[int], others: list[int]) -> None:
        """Pairs the eqns whose operands all have partners, in their order."""
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
        """Pairs eqns if no others have the same users and no operands surely differ."""
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
            if count[key] == other_count[key] == 1 and self._may_be_same(a, places[key]):
                self._pair(a, places[key])

    def _may_be_same(self, a: int, b: int) -> bool:
        """True if no operands surely differ. One may come from an eqn without partner."""
        known = set(self.partner.values())
        pairs = zip(self._operands(self.before, a), self._operands(self.after, b), strict=False)
        return all(
            self._partner_of(one) in (None, other)
            or (isinstance(other, int) and other not in known)
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
