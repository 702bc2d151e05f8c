"""The numbers of results, over all runs of their eqns: only the largest magnitude, or also the
counts of NaN and infinity, or the whole distribution.

Counts end at the largest number of 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Jaxpr

from jaxviz.capture.rerun import Rerun
from jaxviz.capture.rerun.interpreter import Carried, Interpreter, Location, Reader


class Result(NamedTuple):
    """One result of one eqn."""

    graph: int
    eqn: int
    number: int
    aval: Any


class Numbers(NamedTuple):
    """The numbers of a value: columns, each with an array for each result."""

    never: Callable[[Any], list[Any]]
    """The row of a result that was not made. It takes the dtype of magnitudes, as wide as the
    program's."""
    row: Callable[[Any, Location], list[Any]]
    """The row of a value."""
    both: Callable[[list[Any], list[Any]], list[Any]]
    """The columns of two runs together, from those of each."""


def columns_of(
    numbers: Numbers, again: Rerun, results: Sequence[Result]
) -> list[np.ndarray[Any, Any]]:
    """The columns of these results in one run."""
    if not results:
        return [np.zeros(0) for _ in numbers.never(jnp.float32)]
    return again.of(run_with(numbers, again, results))


def run_with(numbers: Numbers, again: Rerun, results: Sequence[Result]) -> Callable[..., Any]:
    """The function of the program's inputs that returns these columns."""
    wide = any(result.aval.dtype in (jnp.float64, jnp.complex128) for result in results)
    never = numbers.never(jnp.float64 if wide else jnp.float32)
    reader = _Columns(numbers, again.jaxprs, results)

    def run(*flat: Any) -> Any:
        start = [jnp.tile(number, (len(results), *[1] * number.ndim)) for number in never]
        inputs = Carried([*flat], [None] * len(flat), start)
        run = Interpreter(reader)
        return run.run(again.closed.jaxpr, again.closed.consts, inputs, Location()).gathered

    return run


class _Columns(Reader):
    """Gathers the columns."""

    def __init__(self, numbers: Numbers, jaxprs: list[Jaxpr], results: Sequence[Result]) -> None:
        self._numbers = numbers
        self._places: dict[int, list[tuple[int, Any]]] = {}
        for place, (graph, eqn, number, _) in enumerate(results):
            jaxpr = jaxprs[graph]
            var = jaxpr.eqns[eqn].outvars[number]
            self._places.setdefault(id(jaxpr), []).append((place, var))

    def evaluated(
        self,
        run: Interpreter,
        jaxpr: Jaxpr,
        values: dict[Any, Any],
        out: Carried,
        location: Location,
    ) -> Carried:
        made = [one for one in self._places.get(id(jaxpr), ()) if one[1] in values]
        if not made:
            return out
        places = np.array([place for place, _ in made])
        rows = zip(*(self._numbers.row(values[var], location) for _, var in made), strict=True)
        columns = [
            jnp.stack(row).astype(one.dtype) for row, one in zip(rows, out.gathered, strict=True)
        ]
        both = self._numbers.both([one[places] for one in out.gathered], columns)
        both = [one.at[places].set(new) for one, new in zip(out.gathered, both, strict=True)]
        return out._replace(gathered=both)

    def on_device(self, gathered: Any) -> Any:
        never = self._numbers.never(gathered[0].dtype)
        return [jnp.broadcast_to(of, one.shape) for of, one in zip(never, gathered, strict=True)]

    def of_devices(self, gathered: Any, rows: Any) -> Any:
        return lax.scan(lambda sum, row: (self._numbers.both(sum, row), None), gathered, rows)[0]


NEVER = -1.0
"""Replaces the largest magnitude if the eqn did not run, or nothing is finite."""
MOST_ITERATIONS = 1000
_NONE = np.uint32(0)  # no array of JAX, because importing this would start its backend
_MOST = np.uint32(2**32 - 1)


def _comparable(value: Any) -> Any:
    """Floats of one byte in a type that XLA can compare, and complex numbers as their magnitudes;
    others unchanged."""
    value = jnp.asarray(value)
    if jnp.issubdtype(value.dtype, jnp.complexfloating):
        return jnp.abs(value)
    return value.astype(jnp.float32) if value.dtype.itemsize == 1 else value


def _peak(value: Any) -> Any:
    return jnp.abs(_comparable(value)).max(initial=0)


def _counts(value: Any) -> list[Any]:
    """The counts in one reduction, which compiles in half the time of three."""
    found = jnp.abs(_comparable(value)).reshape(-1)
    nan, inf = jnp.isnan(found), jnp.isinf(found)
    finite = jnp.where(nan | inf, jnp.asarray(NEVER, found.dtype), found)
    count = [flaws.astype(jnp.uint32) for flaws in (nan, inf)]
    start = jnp.asarray(NEVER, found.dtype), _NONE, _NONE
    return [*lax.reduce((finite, *count), start, lambda a, b: tuple(_both_counts(a, b)), (0,))]


def _both_counts(a: Any, b: Any) -> list[Any]:
    return [jnp.maximum(a[0], b[0]), *map(_sum, a[1:], b[1:])]


def _sum(a: Any, b: Any) -> Any:
    return a + jnp.minimum(b, _MOST - a)


PEAKS = Numbers(
    lambda dtype: [jnp.asarray(NEVER, dtype)],
    lambda value, location: [_peak(value)],
    lambda a, b: [jnp.maximum(a[0], b[0])],
)
"""The largest magnitude; NaN or infinite if an element is."""
COUNTS = Numbers(
    lambda dtype: [jnp.asarray(NEVER, dtype), _NONE, _NONE],
    lambda value, location: _counts(value),
    _both_counts,
)
"""The largest finite magnitude, and the numbers of NaNs and infinities."""


class DistributionRow(NamedTuple):
    """The columns of `DISTRIBUTIONS`, in their order."""

    largest: Any
    """The largest magnitude of finite elements."""
    smallest: Any
    greatest: Any
    mean: Any
    deviation: Any
    """Minimum, maximum, mean and standard deviation of finite elements."""
    runs: Any
    """The number of runs of the eqn."""
    finite: Any
    nan: Any
    inf: Any
    zeros: Any
    subnormals: Any
    """The numbers of finite, NaN, infinite, zero and subnormal elements."""
    exponents: Any
    """The number of normal elements for each exponent."""
    iterations: Any
    """The largest magnitude for each iteration of the innermost loop, NaN or infinite if an element
    is."""


_COUNTS = ("runs", "finite", "nan", "inf", "zeros", "subnormals", "exponents")
"""The columns that add up over runs."""


def _no_distribution(dtype: Any) -> list[Any]:
    limits = jnp.finfo(dtype)
    numbers = [jnp.asarray(number, dtype) for number in (NEVER, np.inf, -np.inf, 0, 0)]
    exponents = jnp.zeros(limits.maxexp - limits.minexp, jnp.uint32)
    iterations = jnp.full(MOST_ITERATIONS, NEVER, dtype)
    return [*numbers, *[_NONE] * 6, exponents, iterations]


def _distribution(value: Any, location: Location) -> list[Any]:
    found = _comparable(value).reshape(-1)
    zero, subnormal = _small(found, jnp.finfo(jnp.asarray(value).dtype).smallest_normal)
    x = found if found.dtype == jnp.float64 else found.astype(jnp.float32)
    finite = jnp.isfinite(x)
    largest = jnp.abs(x).max(where=finite, initial=NEVER)
    numbers = [largest, x.min(where=finite, initial=np.inf), x.max(where=finite, initial=-np.inf)]
    kinds = [finite, jnp.isnan(x), jnp.isinf(x), zero, subnormal]
    counts = [jnp.uint32(1), *(kind.sum(dtype=jnp.uint32) for kind in kinds)]
    limits = jnp.finfo(x.dtype)
    exponents = jnp.frexp(x)[1] - 1 - limits.minexp
    histogram = jnp.zeros(limits.maxexp - limits.minexp, jnp.uint32)
    histogram = histogram.at[exponents].add((finite & ~zero & ~subnormal).astype(jnp.uint32))
    iterations = jnp.full(MOST_ITERATIONS, NEVER, x.dtype)
    if location.iterations:
        peak = _peak(value).astype(x.dtype)
        iterations = iterations.at[location.iterations[-1]].set(peak, mode="drop")
    return [*numbers, *_moments(x, finite, largest), *counts, histogram, iterations]


def _small(x: Any, least: Any) -> tuple[Any, Any]:
    """The zero elements and the subnormal elements, by their bits, because for a device both may be
    equal."""
    of_bits = np.dtype(f"uint{8 * x.dtype.itemsize}")
    bits = lax.bitcast_convert_type(x, of_bits) & np.array(np.iinfo(of_bits).max >> 1, of_bits)
    return bits == 0, (bits > 0) & (bits < np.array(least, x.dtype).view(of_bits))


def _moments(x: Any, finite: Any, largest: Any) -> tuple[Any, Any]:
    """The mean and the standard deviation of finite elements, in units of the largest magnitude, so
    that no square overflows."""
    unit = jnp.where(largest > 0, largest, 1)
    parts = jnp.where(finite, x / unit, 0)
    count = jnp.maximum(finite.sum(), 1)
    mean = parts.sum() / count
    squares = jnp.where(finite, (parts - mean) ** 2, 0)
    return mean * unit, jnp.sqrt(squares.sum() / count) * unit


def _both_distributions(columns: list[Any], other_columns: list[Any]) -> list[Any]:
    """The combined columns. The variance of all elements is the mean of both variances, weighted by
    the numbers of elements, and the variance of both means."""
    a, b = DistributionRow(*columns), DistributionRow(*other_columns)
    largest = jnp.maximum(a.largest, b.largest)
    smallest, greatest = jnp.minimum(a.smallest, b.smallest), jnp.maximum(a.greatest, b.greatest)
    counts = {name: _sum(getattr(a, name), getattr(b, name)) for name in _COUNTS}
    total = jnp.maximum(counts["finite"], 1)
    share_a, share_b = (of.finite.astype(largest.dtype) / total for of in (a, b))
    unit = jnp.where(largest > 0, largest, 1)  # so that no square overflows
    variance_a, variance_b = ((of.deviation / unit) ** 2 for of in (a, b))
    of_means = share_a * share_b * ((a.mean - b.mean) / unit) ** 2
    variance = share_a * variance_a + share_b * variance_b + of_means
    row = DistributionRow(
        largest=largest,
        smallest=smallest,
        greatest=greatest,
        mean=share_a * a.mean + share_b * b.mean,
        deviation=jnp.sqrt(variance) * unit,
        iterations=jnp.maximum(a.iterations, b.iterations),
        **counts,
    )
    return [*row]


DISTRIBUTIONS = Numbers(_no_distribution, _distribution, _both_distributions)
"""The columns of `DistributionRow`."""
