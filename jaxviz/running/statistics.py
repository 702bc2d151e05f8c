"""What the values of a run are like: `jaxviz.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz.capture.rerun import rerun
from jaxviz.capture.statistics import statistics_of
from jaxviz.program import Program
from jaxviz.reports.statistics import Statistics
from jaxviz.running.option import STATICS, Option, numbers


def statistics(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    lines: int | Iterable[int] = (),
) -> Callable[..., Statistics[Program]]:
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

    def call(*args: Any, **kwargs: Any) -> Statistics[Program]:
        captured, again = rerun(fun, args, kwargs, statics)
        return Statistics(Program(*captured), statistics_of(again, named), again)

    return call


def statistics_of_program(program: Program) -> Callable[..., Statistics[Program]]:
    """Run a captured program as `Program.statistics` does."""

    def call(*args: Any, **kwargs: Any) -> Statistics[Program]:
        again = program._stages.rerun(args, kwargs)
        return Statistics(program, statistics_of(again), again)

    return call


LINES = Option(
    name="--lines",
    help="With --statistics: your lines, by their numbers in the cell or file, of which everything "
    "is reported: mean, deviation, exponents, and the largest in each iteration of a loop.",
    value=numbers("numbers of lines", "3,4"),
)
OPTION = Option(
    name="--statistics",
    help="Run the program of the call once, and return how large the values of each eqn are, and "
    "how many are NaN or infinite: in a list and beside the edges of the graph. It runs twice if "
    "some are.",
    python="jaxviz.statistics(f)(x)",
    run=statistics,
    arguments=(*STATICS, LINES),
)
