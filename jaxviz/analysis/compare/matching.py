"""Corresponding parts of two graphs: their consts, inputs, results and eqns.

Matching goes from the outermost graphs inwards. For two graphs, inputs and results are matched
first, then the eqns between them, then the bodies of two matching eqns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.compare.alignment import aligned, with_moved_eqns
from jaxviz.analysis.compare.sequences import common
from jaxviz.analysis.compare.value_numbers import NumberedGraph, NumberedStage


class GraphMatch(NamedTuple):
    """The corresponding indices of two graphs: a map from the earlier to the later graph. An index
    that is absent was removed or added."""

    constvars: dict[int, int]
    invars: dict[int, int]
    outvars: dict[int, int]
    eqns: dict[int, int]


class Binder(NamedTuple):
    """The properties that identify an input, a const or a result."""

    place: Hashable
    """Its meaning for the caller of the graph: its path, or the value passed for it. None if
    unknown."""
    type: str
    """Its type as JAX writes it: `f32[8,3]`."""
    sort: Hashable
    """The part of its type that does not depend on sizes: kind, dtype and rank."""


def match_programs(before: NumberedStage, after: NumberedStage) -> GraphMatch:
    """The match of the outermost graphs: inputs and results are matched by the user's own paths."""
    one, other = before.graphs[0], after.graphs[0]
    inputs = by_place(
        with_paths(before.stage, one, one.invars, one.args),
        with_paths(after.stage, other, other.invars, other.args),
    )
    results = by_place(
        with_paths(before.stage, one, one.outvars, one.results),
        with_paths(after.stage, other, other.outvars, other.results),
    )
    return match_graphs(before, 0, after, 0, inputs, results)


def match_bodies(
    before: NumberedStage,
    one: tuple[schema.Eqn, schema.Body],
    after: NumberedStage,
    other: tuple[schema.Eqn, schema.Body],
    matched: dict[int, int],
) -> GraphMatch:
    """The match of the bodies of two matching eqns: inputs and results are matched by the values
    that the eqns pass for them.

    `one` and `other` are an eqn and its body. `matched` maps variables of the earlier graph around
    them to those of the later one.
    """
    (eqn, body), (other_eqn, other_body) = one, other
    mine, theirs = before.graphs[body.graph], after.graphs[other_body.graph]
    inputs = in_order(
        with_values(before, mine, mine.invars, eqn.invars, body.inputs, matched),
        with_values(after, theirs, theirs.invars, other_eqn.invars, other_body.inputs, None),
    )
    results = in_order(
        with_values(before, mine, mine.outvars, eqn.outvars, body.outputs, matched),
        with_values(after, theirs, theirs.outvars, other_eqn.outvars, other_body.outputs, None),
    )
    return match_graphs(before, body.graph, after, other_body.graph, inputs, results)


def with_paths(
    stage: schema.Stage, graph: schema.Graph, variables: Sequence[int], paths: Sequence[str]
) -> list[Binder]:
    """A program's inputs or results, each recognised by its path."""
    names = paths if len(paths) == len(variables) else [""] * len(variables)
    return [binder(stage, graph, var, path) for var, path in zip(variables, names, strict=True)]


def with_values(
    numbered: NumberedStage,
    graph: schema.Graph,
    variables: Sequence[int],
    passed: Sequence[int],
    places: Sequence[int],
    matched: dict[int, int] | None,
) -> list[Binder]:
    """A body's inputs or results, each recognised by the later program's variable that is passed
    for it.

    `passed` has the operands or results of the eqn, `places` the index among them of each of
    `variables` (-1: none). `matched` maps variables to those of the later program; None if they are
    its own.
    """
    found: list[Binder] = []
    for var, at in zip(variables, places, strict=True):
        outer = passed[at] if at >= 0 else None
        later = outer if matched is None or outer is None else matched.get(outer)
        place = None if later is None else (later,)
        found.append(binder(numbered.stage, graph, var, place))
    return found


def binder(stage: schema.Stage, graph: schema.Graph, var: int, place: Hashable) -> Binder:
    aval = stage.avals[graph.vars[var].aval]
    rank = None if aval.shape is None else len(aval.shape)
    return Binder(place or None, aval.text, (aval.kind, aval.dtype, rank))


def in_order(before: Sequence[Binder], after: Sequence[Binder]) -> dict[int, int]:
    """Pairs in order if both have the same number. If their places show that one was removed and
    another added, pairs as in `by_place`."""
    if len(before) == len(after):
        same = same_places(before, after)
        moved = any(a != b for a, b in same.items())
        if not moved or any(x >= y for x, y in pairwise(same.values())):
            return {at: at for at in range(len(before))}
    return by_place(before, after, renamed=False)


def by_place(
    before: Sequence[Binder], after: Sequence[Binder], renamed: bool = True
) -> dict[int, int]:
    """Pairs by equal places. The rest is paired in order by equal types, then by equal sorts, since
    an argument may have been renamed. Without `renamed`, a place that the later one lacks was
    removed."""
    pairs = same_places(before, after)
    for key in (lambda one: one.type, lambda one: one.sort):
        rest = [
            at
            for at, one in enumerate(before)
            if at not in pairs and (renamed or one.place is None)
        ]
        taken = set(pairs.values())
        others = [at for at in range(len(after)) if at not in taken]
        numbers: dict[Hashable, int] = {}

        def number(one: Binder, key=key, numbers=numbers) -> int:
            return numbers.setdefault(key(one), len(numbers))

        found = common([number(before[at]) for at in rest], [number(after[at]) for at in others])
        pairs.update({rest[a]: others[b] for a, b in found})
    return pairs


def same_places(before: Sequence[Binder], after: Sequence[Binder]) -> dict[int, int]:
    """Pairs of binders that have the same place."""
    places = {place: at for at, place in enumerate(counted(after)) if place is not None}
    return {at: places[place] for at, place in enumerate(counted(before)) if place in places}


def counted(binders: Sequence[Binder]) -> list[Hashable]:
    """The places. A place that occurs several times is numbered."""
    seen: Counter[Hashable] = Counter()
    found: list[Hashable] = []
    for one in binders:
        found.append(None if one.place is None else (one.place, seen[one.place]))
        seen[one.place] += 1
    return found


def match_graphs(
    before: NumberedStage,
    a: int,
    after: NumberedStage,
    b: int,
    inputs: dict[int, int],
    results: dict[int, int],
) -> GraphMatch:
    """The match of the graphs `a` and `b`, whose inputs and results are matched already."""
    one, other = before.graphs[a], after.graphs[b]
    consts = in_order(
        [binder(before.stage, one, var, None) for var in one.constvars],
        [binder(after.stage, other, var, None) for var in other.constvars],
    )
    same_inputs = inputs == {at: at for at in range(len(one.invars))}
    if before.untyped[a] == after.untyped[b] and same_inputs:
        return GraphMatch(consts, inputs, results, {at: at for at in range(len(one.eqns))})
    of = before.numbering.of
    numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for word, pairs, mine, theirs in (
        ("const", consts, one.constvars, other.constvars),
        ("input", inputs, one.invars, other.invars),
    ):
        numbers[0].update({var: of(("before", word, at)) for at, var in enumerate(mine)})
        numbers[1].update({var: of(("after", word, at)) for at, var in enumerate(theirs)})
        numbers[1].update({theirs[y]: numbers[0][mine[x]] for x, y in pairs.items()})
    ends: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    for x, y in results.items():
        ends[0].setdefault(one.outvars[x], []).append(of(("end", x)))
        ends[1].setdefault(other.outvars[y], []).append(of(("end", x)))
    earlier = NumberedGraph(before, a, numbers[0], ends[0])
    later = NumberedGraph(after, b, numbers[1], ends[1])
    binders = {one.constvars[x]: other.constvars[y] for x, y in consts.items()}
    binders |= {one.invars[x]: other.invars[y] for x, y in inputs.items()}
    eqns = with_moved_eqns(earlier, later, dict(aligned(earlier, later)), binders)
    return GraphMatch(consts, inputs, results, eqns)
