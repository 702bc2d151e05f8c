"""Reads numbers of some results, over all the times that their eqns run."""

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
    """The combined columns of two runs."""


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
        given = Carried([*flat], [None] * len(flat), start)
        run = Interpreter(reader)
        return run.run(again.closed.jaxpr, again.closed.consts, given, Location()).gathered

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
