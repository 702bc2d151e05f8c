"""What the values of a call were like: the call's program runs once more, with a row of numbers for
each result of each eqn, over all the times that the eqn runs (`telling.py`; which, `ways.py` says).

First with one number for each, which compiles soonest: the largest magnitude, which is NaN or
infinite where an element is. Those that are get their elements counted in a second run. Of a few
eqns the whole distribution is told, in one run.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.rerun import Rerun
from jaxviz.capture.statistics.telling import Result, told
from jaxviz.capture.statistics.ways import COUNTS, DISTRIBUTIONS, NEVER, PEAKS
from jaxviz.capture.statistics.written import written_eqns
from jaxviz.measures.values import Distribution, Told, ValueStatistics
from jaxviz.schema import Graph, Stage
from jaxviz.schema.graph import first_eqns

MOST_RESULTS = 200
"""Of how many results distributions are told at once: 200 took 10 seconds to compile."""
NO_FLOATS = "No operation of this part makes floating-point numbers."
TOO_MANY_RESULTS = (
    "This part makes {:,} arrays, and at most {} are told of at once, as each takes long to "
    "compile: choose a smaller part within it."
)


def statistics_of(again: Rerun, lines: Iterable[int] = ()) -> Told:
    """What a run of a program tells: of all eqns, or the distributions of those of some lines.
    Raises `CaptureError` where a line has no result to tell of."""
    stage = again.jaxpr
    jaxprs = again.jaxprs
    results = results_of(jaxprs)
    chosen = [*_of_lines(stage, results, {*lines})]
    rows = _distributions(again, jaxprs, chosen) if chosen else _sizes(again, jaxprs, results)
    return Told(_with_written(stage, rows), again.left_out, again.run_again)


def distributions_of(again: Rerun, eqns: Iterable[int]) -> Told:
    """The distributions of some eqns, as they are numbered through all graphs, and of what these
    hold. Raises `CaptureError` where there is nothing to tell of, or too much."""
    graphs = again.jaxpr.graphs
    starts = first_eqns(graphs)
    wanted = set(_with_held(graphs, starts, eqns))
    jaxprs = again.jaxprs
    chosen = [one for one in results_of(jaxprs) if starts[one.graph] + one.eqn in wanted]
    if not chosen:
        raise CaptureError(NO_FLOATS)
    if len(chosen) > MOST_RESULTS:
        raise CaptureError(TOO_MANY_RESULTS.format(len(chosen), MOST_RESULTS))
    rows = _distributions(again, jaxprs, chosen)
    return Told(_with_written(again.jaxpr, rows), again.left_out, again.run_again)


def _with_held(
    graphs: Sequence[Graph], starts: Sequence[int], eqns: Iterable[int]
) -> Iterator[int]:
    """Some eqns, and those of their bodies, however deep."""
    waiting, seen = [*eqns], set[int]()
    while waiting:
        number = waiting.pop()
        if number in seen or not 0 <= number < starts[-1]:
            continue
        seen.add(number)
        yield number
        graph = bisect_right(starts, number) - 1
        for body in graphs[graph].eqns[number - starts[graph]].bodies:
            waiting += range(starts[body.graph], starts[body.graph + 1])


def results_of(jaxprs: Sequence[Jaxpr]) -> list[Result]:
    """All results of the eqns of a program that can be told of."""
    return [result for graph, jaxpr in enumerate(jaxprs) for result in _results(graph, jaxpr)]


def _results(graph: int, jaxpr: Jaxpr) -> Iterator[Result]:
    for number, eqn in enumerate(jaxpr.eqns):
        for place, var in enumerate(eqn.outvars):
            aval: Any = var.aval
            if jnp.issubdtype(getattr(aval, "dtype", bool), jnp.inexact):
                yield Result(graph, number, place, aval)


def _of_lines(stage: Stage, results: list[Result], lines: set[int]) -> Iterator[Result]:
    """Those that these lines made, each of which made some."""
    by_line: dict[int, list[Result]] = {}
    for result in results:
        frame = stage.graphs[result.graph].eqns[result.eqn].frame
        if frame is not None:
            by_line.setdefault(stage.frames[frame].line, []).append(result)
    for line in sorted(lines):
        if line not in by_line:
            some = ", ".join(map(str, sorted(by_line))) or "none"
            raise CaptureError(
                f"no operation of line {line} makes floating-point numbers: lines that do are "
                f"{some}."
            )
        yield from by_line[line]


def _sizes(
    again: Rerun, jaxprs: list[Jaxpr], results: Sequence[Result]
) -> Iterator[ValueStatistics]:
    [peaks] = told(PEAKS, again, jaxprs, results)
    flawed = [result for result, peak in zip(results, peaks, strict=True) if not np.isfinite(peak)]
    counted = zip(*told(COUNTS, again, jaxprs, flawed), strict=True)
    counts = dict(zip((result[:3] for result in flawed), counted, strict=True))
    for result, peak in zip(results, peaks, strict=True):
        numbers = counts.get(result[:3], (peak, 0, 0))
        yield _row(again.program.stages[0], result, bool(peak != NEVER), *numbers)


def _distributions(
    again: Rerun, jaxprs: list[Jaxpr], results: Sequence[Result]
) -> Iterator[ValueStatistics]:
    columns = told(DISTRIBUTIONS, again, jaxprs, results)
    for result, row in zip(results, zip(*columns, strict=True), strict=True):
        largest, _, _, _, _, runs, _, nan, inf, *_ = row
        distribution = _distribution(row) if runs else None
        stage = again.program.stages[0]
        yield _row(stage, result, bool(runs), largest, nan, inf, distribution)


def _row(
    stage: Stage,
    result: Result,
    ran: bool,
    largest: Any,
    nan: Any,
    inf: Any,
    distribution: Distribution | None = None,
) -> ValueStatistics:
    graph = stage.graphs[result.graph]
    eqn = graph.eqns[result.eqn]
    made = graph.vars[eqn.outvars[result.number]]
    some = largest != NEVER and 0 not in result.aval.shape
    return ValueStatistics(
        *result[:3],
        op=eqn.op,
        type=stage.avals[made.aval].text,
        frame=None if eqn.frame is None else stage.frames[eqn.frame],
        ran=ran,
        largest=_told(largest) if some else None,
        nan=int(nan),
        inf=int(inf),
        distribution=distribution,
        written=False,
    )


def _with_written(stage: Stage, rows: Iterable[ValueStatistics]) -> tuple[ValueStatistics, ...]:
    known = written_eqns(stage.graphs)
    return tuple(replace(row, written=(row.graph, row.eqn) in known) for row in rows)


def _distribution(row: Sequence[Any]) -> Distribution:
    _, *numbers, runs, finite, _, _, zeros, subnormals, exponents, turns = row
    smallest, greatest, mean, deviation = map(_told, numbers) if finite else [None] * 4
    [places] = np.nonzero(exponents)
    ran = np.nonzero(turns != NEVER)[0]
    first = 1 - len(exponents) // 2
    return Distribution(
        runs=int(runs),
        finite=int(finite),
        smallest=smallest,
        greatest=greatest,
        mean=mean,
        deviation=deviation,
        zeros=int(zeros),
        subnormals=int(subnormals),
        exponents={int(place) + first: int(exponents[place]) for place in places},
        turns=tuple(map(_turn, turns[: ran[-1] + 1])) if len(ran) else (),
    )


def _turn(peak: Any) -> float | None:
    return None if peak == NEVER else _told(peak)


def _told(number: Any) -> float:
    """To three digits: no element of an array is told as it is."""
    return float(f"{number:.3g}") if math.isfinite(number) else float(number)
