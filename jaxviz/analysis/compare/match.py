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


NOTHING = Matched({}, {}, {}, {})


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
    variables: dict[int, int],
) -> Matched:
    """Of a body of each of two eqns that are matched. `variables` are those of the graph around
    the one that are matched with one of the other."""
    (eqn, body), (twin, bare) = one, other
    graph, inner = before.graphs[body.graph], after.graphs[bare.graph]
    fed = [variables.get(eqn.invars[at]) if at >= 0 else None for at in body.inputs]
    made = [variables.get(eqn.outvars[at]) if at >= 0 else None for at in body.outputs]
    reads = [twin.invars[at] if at >= 0 else None for at in bare.inputs]
    gives = [twin.outvars[at] if at >= 0 else None for at in bare.outputs]
    stage, stages = before.stage, after.stage
    inputs = in_order(
        [binder(stage, graph, *pair) for pair in zip(graph.invars, map(known, fed), strict=True)],
        [
            binder(stages, inner, *pair)
            for pair in zip(inner.invars, map(known, reads), strict=True)
        ],
    )
    results = in_order(
        [binder(stage, graph, *pair) for pair in zip(graph.outvars, map(known, made), strict=True)],
        [
            binder(stages, inner, *pair)
            for pair in zip(inner.outvars, map(known, gives), strict=True)
        ],
    )
    return matched(before, body.graph, after, bare.graph, inputs, results)


def known(var: int | None) -> tuple[int] | None:
    return None if var is None else (var,)


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
