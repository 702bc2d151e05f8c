"""What the values of a call were like: the call's program runs once more, with a row of numbers for
each result of each eqn, over all the times that the eqn runs.

First with one number for each, which compiles soonest: the largest magnitude, which is NaN or
infinite where an element is. Those that are get their elements counted in a second run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Jaxpr

from jaxviz.capture.rerun import Rerun, rerun
from jaxviz.capture.rerun.interpreter import Around, Carried, Interpreter
from jaxviz.capture.walk import walk
from jaxviz.schema import Stage
from jaxviz.values import Statistics, ValueStatistics

NEVER = -1.0
"""Written in place of a largest magnitude where the eqn did not run, or nothing is finite."""
_MOST = np.uint32(2**32 - 1)


class _Result(NamedTuple):
    """One result of one eqn."""

    graph: int
    eqn: int
    number: int
    aval: Any


class _Way(NamedTuple):
    """A way to tell of values: a row of an array, and what two rows are together."""

    row: Callable[[Any], list[Any]]
    both: Callable[[list[Any], list[Any]], list[Any]]
    never: Callable[[Any], list[Any]]
    """The row of what did not run, for a dtype of magnitudes."""


def statistics_of(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any]
) -> Statistics:
    """What a run of the call's program tells. Raises `CaptureError` as `rerun` does."""
    again = rerun(fun, args, kwargs, statics)
    jaxprs = walk(again.closed.jaxpr).jaxprs
    results = [result for graph, jaxpr in enumerate(jaxprs) for result in _results(graph, jaxpr)]
    [peaks] = _told(_PEAKS, again, jaxprs, results)
    flawed = [result for result, peak in zip(results, peaks, strict=True) if not np.isfinite(peak)]
    counted = zip(flawed, zip(*_told(_COUNTS, again, jaxprs, flawed), strict=True), strict=True)
    counts = {result[:3]: row for result, row in counted}
    stage = again.program.stages[0]
    rows = (
        _row(stage, result, bool(peak != NEVER), *counts.get(result[:3], (peak, 0, 0)))
        for result, peak in zip(results, peaks, strict=True)
    )
    return Statistics(again.program.name, tuple(rows), again.left_out, again.run_again)


def _results(graph: int, jaxpr: Jaxpr) -> Iterable[_Result]:
    for number, eqn in enumerate(jaxpr.eqns):
        for place, var in enumerate(eqn.outvars):
            aval: Any = var.aval
            if jnp.issubdtype(getattr(aval, "dtype", bool), jnp.inexact):
                yield _Result(graph, number, place, aval)


def _row(
    stage: Stage, result: _Result, ran: bool, largest: Any, nan: Any, inf: Any
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
        largest=float(f"{largest:.3g}") if some else None,
        nan=int(nan),
        inf=int(inf),
    )


def _told(
    way: _Way, again: Rerun, jaxprs: list[Jaxpr], results: list[_Result]
) -> list[np.ndarray[Any, Any]]:
    """The columns of what is told of these results."""
    wide = any(result.aval.dtype in (jnp.float64, jnp.complex128) for result in results)
    never = way.never(jnp.float64 if wide else jnp.float32)
    if not results:
        return [np.zeros(0) for _ in never]

    def run(*flat: Any) -> Any:
        start = [jnp.full(len(results), number) for number in never]
        given = Carried([*flat], [None] * len(flat), start)
        telling = _Telling(way, jaxprs, results)
        return telling.run(again.closed.jaxpr, again.closed.consts, given, Around()).known

    return again.of(run)


class _Telling(Interpreter):
    """Knows a column for each number of the rows, with a place for each result."""

    def __init__(self, way: _Way, jaxprs: list[Jaxpr], results: list[_Result]) -> None:
        self._way = way
        self._places: dict[int, list[tuple[int, Any]]] = {}
        for place, (graph, eqn, number, _) in enumerate(results):
            jaxpr = jaxprs[graph]
            var = jaxpr.eqns[eqn].outvars[number]
            self._places.setdefault(id(jaxpr), []).append((place, var))

    def known_after(self, jaxpr: Jaxpr, values: dict[Any, Any], known: Any, around: Around) -> Any:
        made = [one for one in self._places.get(id(jaxpr), ()) if one[1] in values]
        if not made:
            return known
        places = np.array([place for place, _ in made])
        rows = zip(*(self._way.row(values[var]) for _, var in made), strict=True)
        columns = [jnp.stack(row).astype(one.dtype) for row, one in zip(rows, known, strict=True)]
        both = self._way.both([one[places] for one in known], columns)
        return [one.at[places].set(new) for one, new in zip(known, both, strict=True)]

    def known_on_device(self, known: Any) -> Any:
        never = self._way.never(known[0].dtype)
        return [jnp.full_like(one, number) for one, number in zip(known, never, strict=True)]

    def known_of_devices(self, known: Any, of_devices: Any) -> Any:
        return lax.scan(lambda sum, row: (self._way.both(sum, row), None), known, of_devices)[0]


def _magnitudes(value: Any) -> Any:
    """Floats of one byte as what XLA can compare; all others of their own width."""
    value = jnp.asarray(value)
    return jnp.abs(value.astype(jnp.float32) if value.dtype.itemsize == 1 else value)


def _peak(value: Any) -> list[Any]:
    return [_magnitudes(value).max(initial=0)]


def _counts(value: Any) -> list[Any]:
    """In one reduction, which compiles in half the time of three."""
    found = _magnitudes(value).reshape(-1)
    nan, inf = jnp.isnan(found), jnp.isinf(found)
    finite = jnp.where(nan | inf, jnp.asarray(NEVER, found.dtype), found)
    count = [flaws.astype(jnp.uint32) for flaws in (nan, inf)]
    start = jnp.asarray(NEVER, found.dtype), jnp.uint32(0), jnp.uint32(0)
    return [*lax.reduce((finite, *count), start, lambda a, b: tuple(_both_counts(a, b)), (0,))]


def _both_counts(a: Any, b: Any) -> list[Any]:
    counts = [x + jnp.minimum(y, _MOST - x) for x, y in zip(a[1:], b[1:], strict=True)]
    return [jnp.maximum(a[0], b[0]), *counts]


_PEAKS = _Way(
    _peak,
    lambda a, b: [jnp.maximum(a[0], b[0])],
    lambda dtype: [jnp.asarray(NEVER, dtype)],
)
_COUNTS = _Way(
    _counts,
    _both_counts,
    lambda dtype: [jnp.asarray(NEVER, dtype), jnp.uint32(0), jnp.uint32(0)],
)
