"""What the values of a run are like: `jaxviz.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.capture.statistics import statistics_of
from jaxviz.display.bundle import Beside, chosen, whole_bundle
from jaxviz.measures.values import Told, ValueStatistics, first_of_lines, values_text
from jaxviz.program import Program
from jaxviz.schema.graph import first_eqns

MOST_LINES = 200
"""How many lines an output has."""


class Statistics:
    """What the values of one run of a call were like, a row for each result of each eqn.

    Results that are neither floating-point nor complex numbers have no row, nor have those of
    eqns that were run whole with their bodies, such as a solver's or a Pallas kernel's. As the last
    value of a cell it is the program with a list of your lines, what is not finite first; `print`
    gives the list. Where `lines` were named it is text. It is immutable, and holds strings and
    numbers alone.

    Attributes
    ----------
    program : Program
        What JAX made of the call.
    rows : tuple
        What each result of each eqn was like.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.sum(x * x))(jnp.array([3.0, 4.0]))
    >>> [(row["op"], row["largest"]) for row in found.records()]
    [('mul', 16.0), ('reduce_sum', 25.0)]
    """

    __slots__ = ("_told", "program")

    def __init__(self, program: Program, told: Told) -> None:
        self.program = program
        self._told = told

    @property
    def rows(self) -> tuple[ValueStatistics, ...]:
        return self._told.rows

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        return values_text(self.program.name, self._told)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows. Distributions are text: no page draws them yet."""
        if any(row.distribution for row in self.rows):
            return chosen({"text/plain": str(self)}, include, exclude)
        stages, opening = self.program._stages, self.program.opening
        beside = Beside(str(self), values=_of_lines(self.program, self._told))
        return chosen(whole_bundle(stages, opening, beside), include, exclude)


def _of_lines(program: Program, told: Told) -> schema.Values:
    starts = first_eqns(program.stage("jaxpr").graphs)
    found = first_of_lines(told.rows)
    lines = [
        schema.LineValues(
            frame=row.frame and replace(row.frame, parent=None),
            eqn=starts[row.graph] + row.eqn,
            op=row.op,
            type=row.type,
            largest=row.largest,
            nan=row.nan,
            inf=row.inf,
        )
        for row in found[:MOST_LINES]
    ]
    more = max(0, len(found) - MOST_LINES)
    return schema.Values(
        lines=lines, more=more, left_out=[*told.left_out], run_again=told.run_again
    )


def statistics(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    lines: int | Iterable[int] = (),
) -> Callable[..., Statistics]:
    """Tell how large the values are that the eqns of a call make, and which are not finite.

    The program of the call is compiled anew with a number for each result of each eqn, and runs
    once, and once more where some are not finite, to count those: your Python is traced as by
    `inspect`, and does not run a second time. Debug prints and callbacks are left out; a
    `pure_callback` runs. Values may differ from your own run's in the last digits. A training step
    of 2,770 eqns took two to three times as long to compile on a CPU, and two to four times as long
    to run.

    Only these numbers leave the device, to three digits. The largest magnitude of an array is that
    of one of its elements.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    lines : int or iterable of int, optional
        Lines of your code, by their numbers in its file or cell. Only what these make is told of,
        and of that the whole `Distribution`, which takes far longer to compile: name few.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns `Statistics`.

    Raises
    ------
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does, and for programs
        with an `io_callback`, whose effect would happen once more, and where a line makes no
        floating-point numbers.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.exp(x) - 1.0)(jnp.array([0.0, 100.0]))
    >>> [(row.op, row.largest, row.inf) for row in found.rows]
    [('exp', 1.0, 1), ('sub', 0.0, 1)]
    """
    named = (lines,) if isinstance(lines, int) else tuple(lines)
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Statistics:
        captured, told = statistics_of(fun, args, kwargs, statics, named)
        return Statistics(Program(*captured), told)

    return call
