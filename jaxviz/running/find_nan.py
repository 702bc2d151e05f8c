"""Where a NaN was born: `jaxviz.find_nan`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz.capture.births import births_of
from jaxviz.capture.rerun import rerun
from jaxviz.program import Program
from jaxviz.reports.births import Births
from jaxviz.running.option import STATICS, Option


def find_nan(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
) -> Callable[..., Births[Program]]:
    """Find the eqn in which the NaN of a result was born, and the first infinity.

    The program of the call is compiled anew and runs once. Where a result is not finite, it runs
    again, operation by operation, of which each distinct one is compiled alone: seconds. A loop of
    more than 200 turns whose result is not finite is compiled with a few numbers beside each array
    (0.2 s for each eqn in it). Your Python is traced as by `inspect`, and does not run a second
    time. Debug prints and callbacks are left out; a `pure_callback` runs. Values may differ from
    your own run's in the last digits, and arrays that XLA had fused away need memory. No element of
    an array leaves the device.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns `Births`: false where no result has a NaN.

    Raises
    ------
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does, and for programs
        with an `io_callback`, whose effect would happen once more.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> bool(jaxviz.find_nan(jnp.sqrt)(4.0))
    False
    >>> jaxviz.find_nan(jnp.sqrt)(-4.0).nan.op
    'sqrt'
    """
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Births[Program]:
        captured, again = rerun(fun, args, kwargs, statics)
        return Births(Program(*captured), *births_of(again))

    return call


OPTION = Option(
    name="--find-nan",
    help="Run the program of the call once, and return in which eqn the first NaN of its result "
    "was made, and the first infinity. Debug prints and callbacks are left out; a pure_callback "
    "runs.",
    python="jaxviz.find_nan(f)(x)",
    run=find_nan,
    arguments=STATICS,
)
