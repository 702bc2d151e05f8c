"""What the values of a run were like, by eqn of the jaxpr."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from jaxviz.measures.values import ValueStatistics
from jaxviz.schema import EqnValues, Stage
from jaxviz.schema.graph import first_eqns


def with_values(stage: Stage, rows: Sequence[ValueStatistics]) -> Stage:
    """A jaxpr with what the results of its eqns were like; any other stage as it is."""
    if stage.kind != "jaxpr":
        return stage
    starts = first_eqns(stage.graphs)
    ran: dict[tuple[int, int], dict[int, ValueStatistics]] = defaultdict(dict)
    for row in rows:
        if row.ran:
            ran[row.graph, row.eqn][row.result] = row
    values = [
        _of_eqn(starts[graph] + eqn, [told.get(at) for at in range(max(told) + 1)])
        for (graph, eqn), told in sorted(ran.items())
    ]
    return replace(stage, values=values)


def _of_eqn(number: int, results: Sequence[ValueStatistics | None]) -> EqnValues:
    return EqnValues(
        eqn=number,
        largest=[
            "" if row is None or row.largest is None else f"{row.largest:.3g}" for row in results
        ],
        nan=[row.nan if row else 0 for row in results],
        inf=[row.inf if row else 0 for row in results],
    )
