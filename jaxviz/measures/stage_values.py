"""What the values of a run were like, by eqn of the jaxpr."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from jaxviz.measures.values import Distribution, ValueStatistics
from jaxviz.schema import EqnValues, LineValues, PartValues, Stage
from jaxviz.schema.graph import first_eqns


def with_values(stage: Stage, rows: Sequence[ValueStatistics]) -> Stage:
    """A jaxpr with what the results of its eqns were like; any other stage as it is."""
    if stage.kind != "jaxpr":
        return stage
    return replace(stage, values=_by_eqn(stage, rows))


def part_values(stage: Stage, rows: Sequence[ValueStatistics]) -> PartValues:
    """What the results of some eqns of a jaxpr were like."""
    ran = [row for row in rows if row.ran]
    return PartValues(eqns=_by_eqn(stage, rows), results=line_values(stage, ran))


def line_values(stage: Stage, rows: Iterable[ValueStatistics]) -> list[LineValues]:
    """Rows as a page lists them."""
    starts = first_eqns(stage.graphs)
    return [
        LineValues(
            frame=row.frame and replace(row.frame, parent=None),
            eqn=starts[row.graph] + row.eqn,
            result=row.result,
            op=row.op,
            type=row.type,
            largest=row.largest,
            nan=row.nan,
            inf=row.inf,
            distribution=row.distribution and row.distribution.record(),
        )
        for row in rows
    ]


def rows_of(stage: Stage, lines: Sequence[LineValues]) -> Iterator[ValueStatistics]:
    """The rows that a jaxpr with values was made of: those of eqns that ran."""
    spread = {(one.eqn, one.result): one.distribution for one in lines if one.distribution}
    eqns = [
        (number, at) for number, graph in enumerate(stage.graphs) for at in range(len(graph.eqns))
    ]
    for found in stage.values:
        number, at = eqns[found.eqn]
        graph = stage.graphs[number]
        eqn = graph.eqns[at]
        for result, largest in enumerate(found.largest):
            aval = stage.avals[graph.vars[eqn.outvars[result]].aval]
            if not re.match("b?float|complex", aval.dtype):
                continue
            distribution = spread.get((found.eqn, result))
            yield ValueStatistics(
                graph=number,
                eqn=at,
                result=result,
                op=eqn.op,
                type=aval.text,
                frame=None if eqn.frame is None else stage.frames[eqn.frame],
                ran=True,
                largest=float(largest) if largest else None,
                nan=found.nan[result],
                inf=found.inf[result],
                distribution=distribution and Distribution.of(distribution),
                written=result in found.written,
            )


def _by_eqn(stage: Stage, rows: Sequence[ValueStatistics]) -> list[EqnValues]:
    starts = first_eqns(stage.graphs)
    ran: dict[tuple[int, int], dict[int, ValueStatistics]] = defaultdict(dict)
    for row in rows:
        if row.ran:
            ran[row.graph, row.eqn][row.result] = row
    return [
        _of_eqn(starts[graph] + eqn, [told.get(at) for at in range(max(told) + 1)])
        for (graph, eqn), told in sorted(ran.items())
    ]


def _of_eqn(number: int, results: Sequence[ValueStatistics | None]) -> EqnValues:
    return EqnValues(
        eqn=number,
        largest=[
            "" if row is None or row.largest is None else f"{row.largest:.3g}" for row in results
        ],
        nan=[row.nan if row else 0 for row in results],
        inf=[row.inf if row else 0 for row in results],
        written=[at for at, row in enumerate(results) if row and row.written],
        spread=[_spread(row) for row in results],
    )


def _spread(row: ValueStatistics | None) -> str:
    found = row.distribution if row else None
    if found is None or found.smallest is None:
        return ""
    return f"{found.smallest:.3g}…{found.greatest:.3g}"
