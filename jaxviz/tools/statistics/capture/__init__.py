"""The values of a call: the call's program runs once more, with a row of numbers for each result of
each eqn, over all the times that the eqn runs (`numbers.py`).

The first run has one number for each result, which compiles soonest: the largest magnitude, which
is NaN or infinite if an element is. For results that are not finite, a second run counts the
elements. A few eqns get their whole distribution, in one run.
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
from jaxviz.schema import Body, Eqn, Graph, Stage
from jaxviz.schema.graph import first_eqns, outside_in
from jaxviz.sentences import sentence
from jaxviz.tools.statistics.capture.numbers import (
    COUNTS,
    DISTRIBUTIONS,
    NEVER,
    PEAKS,
    DistributionRow,
    Result,
    columns_of,
)
from jaxviz.tools.statistics.rows import Distribution, ValueStatistics

MOST_RESULTS = 200
"""The largest number of distributions in one run: 200 took 10 seconds to compile."""


def statistics_of(again: Rerun, lines: Iterable[int] = ()) -> tuple[ValueStatistics, ...]:
    """The rows of all eqns in a run of a program, or those of some lines with their distributions.
    Raises `CaptureError` if a line makes no floating-point numbers."""
    results = results_of(again.jaxprs)
    chosen = [*_of_lines(again.jaxpr, results, {*lines})]
    return (
        *_with_written(again, _distributions(again, chosen) if chosen else _sizes(again, results)),
    )


def distributions_of(again: Rerun, eqns: Iterable[int]) -> tuple[ValueStatistics, ...]:
    """The rows with distributions of some eqns, numbered through all graphs, and of the eqns in
    their bodies. Raises `CaptureError` if there are none, or too many."""
    graphs = again.jaxpr.graphs
    starts = first_eqns(graphs)
    wanted = set(_with_bodies(graphs, starts, eqns))
    results = results_of(again.jaxprs)
    chosen = [one for one in results if starts[one.graph] + one.eqn in wanted]
    if not chosen:
        raise CaptureError(sentence("no floats"))
    if len(chosen) > MOST_RESULTS:
        raise CaptureError(sentence("too many results", count=len(chosen), most=MOST_RESULTS))
    return (*_with_written(again, _distributions(again, chosen)),)


def _with_bodies(
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
    """All floating-point and complex results of the eqns of a program."""
    return [result for graph, jaxpr in enumerate(jaxprs) for result in _results(graph, jaxpr)]


def _results(graph: int, jaxpr: Jaxpr) -> Iterator[Result]:
    for number, eqn in enumerate(jaxpr.eqns):
        for place, var in enumerate(eqn.outvars):
            aval: Any = var.aval
            if jnp.issubdtype(getattr(aval, "dtype", bool), jnp.inexact):
                yield Result(graph, number, place, aval)


def _of_lines(stage: Stage, results: list[Result], lines: set[int]) -> Iterator[Result]:
    """The results that these lines made. Each line made at least one."""
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


def _sizes(again: Rerun, results: Sequence[Result]) -> Iterator[ValueStatistics]:
    [peaks] = columns_of(PEAKS, again, results)
    flawed = [result for result, peak in zip(results, peaks, strict=True) if not np.isfinite(peak)]
    counted = zip(*columns_of(COUNTS, again, flawed), strict=True)
    counts = dict(zip((result[:3] for result in flawed), counted, strict=True))
    for result, peak in zip(results, peaks, strict=True):
        numbers = counts.get(result[:3], (peak, 0, 0))
        yield _row(again.jaxpr, result, bool(peak != NEVER), *numbers)


def _distributions(again: Rerun, results: Sequence[Result]) -> Iterator[ValueStatistics]:
    columns = columns_of(DISTRIBUTIONS, again, results)
    for result, row in zip(results, map(DistributionRow, *columns), strict=True):
        ran, distribution = bool(row.runs), _distribution(row) if row.runs else None
        yield _row(again.jaxpr, result, ran, row.largest, row.nan, row.inf, distribution)


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
        largest=_rounded(largest) if some else None,
        nan=int(nan),
        inf=int(inf),
        distribution=distribution,
        written=False,
    )


def _with_written(again: Rerun, rows: Iterable[ValueStatistics]) -> Iterator[ValueStatistics]:
    written = written_eqns(again.jaxpr.graphs)
    return (replace(row, written=(row.graph, row.eqn) in written) for row in rows)


def _distribution(row: DistributionRow) -> Distribution:
    numbers = row.smallest, row.greatest, row.mean, row.deviation
    smallest, greatest, mean, deviation = map(_rounded, numbers) if row.finite else [None] * 4
    [places] = np.nonzero(row.exponents)
    [ran] = np.nonzero(row.iterations != NEVER)
    first = 1 - len(row.exponents) // 2
    return Distribution(
        runs=int(row.runs),
        finite=int(row.finite),
        smallest=smallest,
        greatest=greatest,
        mean=mean,
        deviation=deviation,
        zeros=int(row.zeros),
        subnormals=int(row.subnormals),
        exponents={int(place) + first: int(row.exponents[place]) for place in places},
        turns=tuple(map(_size, row.iterations[: ran[-1] + 1])) if len(ran) else (),
    )


def _size(peak: Any) -> float | None:
    return None if peak == NEVER else _rounded(peak)


def _rounded(number: Any) -> float:
    """A number to three digits, so that no element of an array leaves the kernel unchanged."""
    return float(f"{number:.3g}") if math.isfinite(number) else float(number)


_LOOPS = ("scan", "while")
"""Loops, whose bodies have inputs that change with each iteration."""


def written_eqns(graphs: Sequence[Graph]) -> set[tuple[int, int]]:
    """The eqns that read only literals and results of such eqns, such as the NaN of
    `jnp.where(n > 0, mean, jnp.nan)`, each as its graph and its index there. They are not finite on
    purpose. A body's input counts if every caller passes such a value."""
    found = set[tuple[int, int]]()
    inputs: dict[int, list[bool]] = {}
    for number in outside_in(graphs):
        graph = graphs[number]
        written = [var.literal for var in graph.vars]
        for var, is_written in zip(graph.invars, inputs.get(number, []), strict=False):
            written[var] = is_written
        for place, eqn in enumerate(graph.eqns):
            if all(written[var] for var in eqn.invars):
                found.add((number, place))
                for var in eqn.outvars:
                    written[var] = True
            for body in eqn.bodies:
                passed = _written_inputs(eqn, body, written)
                before = inputs.setdefault(body.graph, passed)
                inputs[body.graph] = [a and b for a, b in zip(before, passed, strict=True)]
    return found


def _written_inputs(eqn: Eqn, body: Body, written: Sequence[bool]) -> list[bool]:
    """For each input of a body: true if the eqn passes a written value."""
    operands = [eqn.invars[at] if 0 <= at < len(eqn.invars) else None for at in body.inputs]
    return [eqn.op not in _LOOPS and one is not None and written[one] for one in operands]
