"""All graphs of two stages that are compared with one another, from the programs inwards."""

from __future__ import annotations

from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.compare.align import aligned
from jaxviz.analysis.compare.binders import Binder, binder, by_place, in_order
from jaxviz.analysis.compare.values import Side
from jaxviz.analysis.compare.view import View


class Matched(NamedTuple):
    """Which parts of one graph are which of another: places of the one to places of the other."""

    constvars: dict[int, int]
    invars: dict[int, int]
    outvars: dict[int, int]
    eqns: dict[int, int]


def whole(before: Side, after: Side) -> Matched:
    """Of the two programs."""
    one, other = before.graphs[0], after.graphs[0]
    inputs = by_place(
        placed(before.stage, one, one.invars, one.args),
        placed(after.stage, other, other.invars, other.args),
    )
    results = by_place(
        placed(before.stage, one, one.outvars, one.results),
        placed(after.stage, other, other.outvars, other.results),
    )
    return matched(before, 0, after, 0, inputs, results)


def placed(
    stage: schema.Stage, graph: schema.Graph, variables: list[int], paths: list[str]
) -> list[Binder]:
    known = paths if len(paths) == len(variables) else [""] * len(variables)
    return [binder(stage, graph, var, path) for var, path in zip(variables, known, strict=True)]


def inside(
    before: Side,
    one: tuple[schema.Eqn, schema.Body],
    after: Side,
    other: tuple[schema.Eqn, schema.Body],
    twins: dict[int, int],
) -> Matched:
    """Of a body of each of two eqns that are matched. `twins` are the variables of the graph around
    the one that are matched with one of the other."""
    (eqn, body), (twin, bare) = one, other
    graph, inner = before.graphs[body.graph], after.graphs[bare.graph]
    inputs = in_order(
        bound(before.stage, graph, graph.invars, eqn.invars, body.inputs, twins),
        bound(after.stage, inner, inner.invars, twin.invars, bare.inputs, None),
    )
    results = in_order(
        bound(before.stage, graph, graph.outvars, eqn.outvars, body.outputs, twins),
        bound(after.stage, inner, inner.outvars, twin.outvars, bare.outputs, None),
    )
    return matched(before, body.graph, after, bare.graph, inputs, results)


def bound(
    stage: schema.Stage,
    graph: schema.Graph,
    variables: list[int],
    around: list[int],
    places: list[int],
    twins: dict[int, int] | None,
) -> list[Binder]:
    """A body's inputs or results, known by what they are in the later one of the graphs around."""
    found: list[Binder] = []
    for var, at in zip(variables, places, strict=True):
        outer = around[at] if at >= 0 else None
        known = outer if twins is None or outer is None else twins.get(outer)
        found.append(binder(stage, graph, var, None if known is None else (known,)))
    return found


def matched(
    before: Side, a: int, after: Side, b: int, inputs: dict[int, int], results: dict[int, int]
) -> Matched:
    one, other = before.graphs[a], after.graphs[b]
    consts = in_order(
        [binder(before.stage, one, var, None) for var in one.constvars],
        [binder(after.stage, other, var, None) for var in other.constvars],
    )
    if before.plain[a] == after.plain[b] and inputs == {at: at for at in range(len(one.invars))}:
        return Matched(consts, inputs, results, {at: at for at in range(len(one.eqns))})
    seeds: tuple[dict[int, int], dict[int, int]] = ({}, {})
    ends: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
    of = before.numbers.of
    for word, pairs, mine, theirs in (
        ("const", consts, one.constvars, other.constvars),
        ("input", inputs, one.invars, other.invars),
    ):
        seeds[0].update({var: of(("before", word, at)) for at, var in enumerate(mine)})
        seeds[1].update({var: of(("after", word, at)) for at, var in enumerate(theirs)})
        seeds[1].update({theirs[y]: seeds[0][mine[x]] for x, y in pairs.items()})
    for x, y in results.items():
        ends[0].setdefault(one.outvars[x], []).append(of(("end", x)))
        ends[1].setdefault(other.outvars[y], []).append(of(("end", x)))
    pairs = aligned(View(before, a, seeds[0], ends[0]), View(after, b, seeds[1], ends[1]))
    return Matched(consts, inputs, results, dict(pairs))
