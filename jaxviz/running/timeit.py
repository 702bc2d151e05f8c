"""What a call takes, with jit and without it: `jaxviz.timeit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz.capture.stopwatch import timed
from jaxviz.display.times_text import times_html, times_text
from jaxviz.measures.timing import Timing


class Timings:
    """What calls took, a row each. As the last value of a cell it is a table.

    Attributes
    ----------
    timings : tuple
        The rows, with times in seconds.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.timeit(lambda x: jnp.sin(x) + 1.0, seconds=0)(jnp.ones(3))
    >>> [(row["eqns"], row["jitted_runs"]) for row in found.records()]
    [(2, 5)]
    """

    __slots__ = ("timings",)

    def __init__(self, timings: Iterable[Timing]) -> None:
        self.timings = tuple(timings)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds."""
        return [timing.record() for timing in self.timings]

    def __str__(self) -> str:
        return times_text(self.timings)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return {"text/plain": str(self), "text/html": times_html(self.timings)}


def timeit(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    sizes: Iterable[int] | None = None,
    seconds: float = 1.0,
) -> Callable[..., Timings]:
    """Time a call: its trace, lowering and compilation, and runs with and without jit.

    The function runs for real, up to 500 times each way: what it prints it prints each time, and
    what it changes stays changed. Each run ends when its results are there. A `jax.jit` of our own
    is timed, without the donation, shardings and compiler options that the function's own jit was
    given. Jitted functions that it calls, as most of `jax.numpy` are, are traced before the clock
    starts, and stay jitted in the runs without jit.

    Parameters
    ----------
    fun : callable
        A function of yours, jitted or not.
    static_argnums, static_argnames : optional
        As in `jax.jit`. Of a jitted function its own static arguments are taken.
    sizes : iterable of int, optional
        Times the function once for each. What `timeit` returns then takes a function from a size to
        the tuple of arguments.
    seconds : float, optional
        How long runs go on for each row, beyond the five of each way that there are at least.

    Returns
    -------
    callable
        What takes the arguments of `fun` and returns the `Timings`.

    Raises
    ------
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does; for functions that
        another library has wrapped, and for Flax NNX modules, whose state would change.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> sums = jaxviz.timeit(jnp.cumsum, sizes=(10, 100), seconds=0)(lambda n: (jnp.ones(n),))
    >>> [timing.size for timing in sums.timings]
    [10, 100]
    """
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Timings:
        return Timings([timed(fun, args, kwargs, statics, seconds)])

    def calls(arguments: Callable[[int], tuple[Any, ...]]) -> Timings:
        rows = ((size, arguments(size)) for size in known)
        return Timings([timed(fun, args, {}, statics, seconds, size) for size, args in rows])

    if sizes is None:
        return call
    known = tuple(sizes)
    return calls
