"""The graphs of a merged stage, and the bodies of its eqns.

An eqn that both programs have contains the bodies of both. Each pair of bodies becomes one graph. A
body that only one program has becomes a graph of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.matching import GraphMatch, match_bodies
from jaxviz.analysis.compare.merged_variables import MergedVariables
from jaxviz.analysis.compare.sequences import interleaved
from jaxviz.analysis.compare.value_numbers import NumberedStage

LARGEST = 4
"""The most eqns of a merged stage, as a multiple of the eqns of both programs. A shared body that
matches many different bodies could exceed it. Such bodies are then not compared, but removed and
added."""


class GraphPair(NamedTuple):
    """The source of a graph of the merged stage."""

    kind: str
    """`same` if both programs have the same graph, `both` if they have two that differ, `added` or
    `removed` if only one program has it."""
    before: int
    """The graph of the earlier stage; -1 if there is none, or it is the same."""
    after: int


class GraphPairs:
    """The graphs of a merged stage, numbered in the order of discovery.

    To merge an eqn, `MergedBodies` asks here for the numbers of its bodies. The graphs are made
    afterwards, one by one, so that nested bodies cause no recursion.
    """

    def __init__(self, before: NumberedStage, after: NumberedStage, programs: GraphMatch) -> None:
        self.before = before
        self.after = after
        root = GraphPair("both", 0, 0)
        self.all = [root]
        self.matches = {root: programs}
        """The match of the two graphs of each pair that differs."""
        self._numbers = {root: 0}
        eqns = sum(len(graph.eqns) for side in (before, after) for graph in side.graphs)
        self._budget = LARGEST * eqns

    def added(self, graph: int) -> int:
        """The number of a graph that only the later stage has."""
        return self._number(GraphPair("added", -1, graph))

    def removed(self, graph: int) -> int:
        """The number of a graph that only the earlier stage has."""
        return self._number(GraphPair("removed", graph, -1))

    def same(self, graph: int) -> int:
        """The number of a graph that both stages have, in the later stage."""
        return self._number(GraphPair("same", -1, graph))

    def both(
        self, before: int, after: int, match: Callable[[], GraphMatch]
    ) -> tuple[int, GraphMatch | None] | None:
        """The number of the merged graph, and its match, which is None if both are equal. Returns
        None instead if the budget does not allow to compare them."""
        if self.before.typed[before] == self.after.typed[after]:
            return self.same(after), None
        pair = GraphPair("both", before, after)
        if pair not in self._numbers:
            if self._budget <= 0:
                return None
            self.matches[pair] = match()
            self._budget -= len(self.matches[pair].eqns) + 1
        return self._number(pair), self.matches[pair]

    def _number(self, pair: GraphPair) -> int:
        found = self._numbers.setdefault(pair, len(self.all))
        if found == len(self.all):
            self.all.append(pair)
        return found


class MergedBodies:
    """The bodies of the eqns `one` and `other`, which match.

    `invars` and `outvars` are the operands and results of the merged eqn, among `variables`."""

    def __init__(
        self,
        pairs: GraphPairs,
        variables: MergedVariables,
        one: schema.Eqn,
        other: schema.Eqn,
        invars: tuple[int, ...],
        outvars: tuple[int, ...],
    ) -> None:
        self.pairs = pairs
        self.variables = variables
        self.one = one
        self.other = other
        self.invars = invars
        self.outvars = outvars

    def merged(self) -> tuple[schema.Body, ...]:
        """The bodies of the later eqn, then those that only the earlier one has."""
        found: list[schema.Body] = []
        removed: list[schema.Body] = []
        for old, new in pairs_by_label(self.one.bodies, self.other.bodies):
            both = None if old is None or new is None else self._both(old, new)
            if both is not None:
                found.append(both)
                continue
            if new is not None:
                found.append(replace(new, graph=self.pairs.added(new.graph)))
            if old is not None:
                removed.append(old)
        return (*found, *map(self._removed, removed))

    def _both(self, old: schema.Body, new: schema.Body) -> schema.Body | None:
        """Two bodies as one; None if the budget does not allow to compare them."""
        pairs, matched = self.pairs, self.variables.matched
        before, after = (self.one, old), (self.other, new)
        found = pairs.both(
            old.graph,
            new.graph,
            lambda: match_bodies(pairs.before, before, pairs.after, after, matched),
        )
        if found is None:
            return None
        number, match = found
        if match is None:
            return replace(new, graph=number)
        inputs = interleaved(len(old.inputs), len(new.inputs), match.invars)
        outputs = interleaved(len(old.outputs), len(new.outputs), match.outvars)
        old_inputs, old_outputs = self._inputs(old), self._outputs(old)
        return schema.Body(
            label=new.label,
            graph=number,
            inputs=tuple(old_inputs[a or 0] if b is None else new.inputs[b] for a, b in inputs),
            outputs=tuple(old_outputs[a or 0] if b is None else new.outputs[b] for a, b in outputs),
        )

    def _removed(self, old: schema.Body) -> schema.Body:
        return schema.Body(
            label=old.label,
            graph=self.pairs.removed(old.graph),
            inputs=self._inputs(old),
            outputs=self._outputs(old),
        )

    def _inputs(self, old: schema.Body) -> tuple[int, ...]:
        return self._places(self.one.invars, old.inputs, self.invars)

    def _outputs(self, old: schema.Body) -> tuple[int, ...]:
        return self._places(self.one.outvars, old.outputs, self.outvars)

    def _places(
        self, own: Sequence[int], places: Sequence[int], merged: Sequence[int]
    ) -> tuple[int, ...]:
        """For each of `places` among the earlier eqn's variables `own`, the place of the same value
        in `merged`; -1 if there is none."""
        where = {var: at for at, var in reversed([*enumerate(merged)])}
        return tuple(
            -1 if at < 0 else where.get(self.variables.merged_index(own[at]), -1) for at in places
        )


def pairs_by_label(
    before: Sequence[schema.Body], after: Sequence[schema.Body]
) -> list[tuple[schema.Body | None, schema.Body | None]]:
    """Bodies of one label as pairs, then the others in their order; None if one side has no further
    bodies."""
    rest = list(before)
    partners: list[schema.Body | None] = []
    for body in after:
        partner = next((one for one in rest if one.label == body.label), None)
        if partner is not None:
            rest.remove(partner)
        partners.append(partner)
    for at, partner in enumerate(partners):
        if partner is None and rest:
            partners[at] = rest.pop(0)
    return [*zip(partners, after, strict=True), *((body, None) for body in rest)]
