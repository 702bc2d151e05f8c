"""The times of a call, with and without jit: `jaxviz.timeit`."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, cast

import msgspec

from jaxviz.display import wire
from jaxviz.display.bundle import preformatted, whole_bundle
from jaxviz.displayed import Report
from jaxviz.program import Program, encoded_program
from jaxviz.tools.timeit.capture import timed
from jaxviz.tools.timeit.record import Spread, Timed, Timing
from jaxviz.tools.timeit.text import gain, times_text

RECORD_BYTES = 150_000
"""The most bytes of an output that has programs."""
MOST_IN_TEXT = 20
"""The most rows in the text of an output."""


class Timings(Report):
    """The times of calls, a row each.

    As the last value of a cell it is bars, curves over sizes, and the programs, with a table;
    `save` writes it to a file.

    Attributes
    ----------
    timings : tuple
        The rows, with times in seconds.
    programs : tuple
        The `Program` of each.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.timeit(lambda x: jnp.sin(x) + 1.0, seconds=0)(jnp.ones(3))
    >>> [(row["eqns"], row["jitted_runs"]) for row in found.records()]
    [(2, 5)]
    """

    __slots__ = ("programs", "timings")

    _reads = Timed
    _is_text = True

    def __init__(self, rows: Iterable[tuple[Timing, Program]]) -> None:
        self.timings, self.programs = zip(*rows, strict=True)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds."""
        return [_columns(timing) for timing in self.timings]

    def __str__(self) -> str:
        return times_text(self.timings)

    __repr__ = __str__

    @property
    def record(self) -> Timed:
        """Give the rows and the conclusions on them, as they are saved."""
        several = self.programs[1:] and self.programs  # a single one is the program of the file
        return Timed(
            timings=[*self.timings],
            said=[gain(timing) for timing in self.timings],
            programs=[b64encode(wire.encode(program.record)).decode() for program in several],
        )

    @classmethod
    def _loaded(cls, program: Program, record: Timed) -> Timings:
        programs = [Program(encoded_program(saved)) for saved in record.programs]
        return cls(zip(record.timings, programs or [program], strict=True))

    def _of(self) -> Program:
        return self.programs[0]

    def _in_output(self) -> Timed:
        record = self.record
        is_small = len(msgspec.json.encode(record)) <= RECORD_BYTES
        return record if is_small else msgspec.structs.replace(record, programs=[])

    def _bundle(self) -> dict[str, Any]:
        """Give the output of a notebook. The text has few rows, to leave room for the view."""
        first, text = self.programs[0], times_text(self.timings[:MOST_IN_TEXT])
        if rest := self.timings[MOST_IN_TEXT:]:
            text += f"\nRows that are not listed: {len(rest):,}. print and .records() list them."
        report, above = self._in_output(), preformatted(text)
        return whole_bundle(first._stages, first.opening, report, text, above)


_NONE = Spread(low=math.nan, median=math.nan, high=math.nan, runs=0)


def _columns(timing: Timing) -> dict[str, object]:
    """A row for `pandas.DataFrame`."""
    return {
        "function": timing.function,
        "size": timing.size,
        "eqns": timing.eqns,
        "trace": timing.trace,
        "lower": timing.lower,
        "compile": timing.compile,
        "first_run": timing.first_run,
        **_of_runs("jitted", timing.jitted),
        **_of_runs("eager", timing.eager or _NONE),
    }


def _of_runs(of: str, found: Spread) -> dict[str, float]:
    return {
        of: found.median,
        f"{of}_low": found.low,
        f"{of}_high": found.high,
        f"{of}_runs": found.runs,
    }


def timeit(
    fun: Callable[..., Any] | Sequence[Callable[..., Any]],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    sizes: Iterable[int] | None = None,
    seconds: float = 1.0,
) -> Callable[..., Timings]:
    """Time a call: its trace, lowering and compilation, and runs with and without jit.

    The function really runs, up to 500 times with jit and as often without it, with all its effects
    and prints each time. A run ends when its results are available. A new `jax.jit` is timed,
    without the donation, shardings and compiler options of the function's own jit. Jitted functions
    that it calls, such as most of `jax.numpy`, are traced before the clock starts, and stay jitted
    in the runs without jit.

    Parameters
    ----------
    fun : callable, or a sequence of them
        A function of yours, jitted or not; or several, which are shown side by side.
    static_argnums, static_argnames : optional
        As in `jax.jit`. A jitted function has its own static arguments.
    sizes : iterable of int, optional
        Times each function once for each size. Then the result of `timeit` takes a function that
        makes the tuple of arguments for a size.
    seconds : float, optional
        The seconds of runs for each row. There are at least five runs with jit, and five without.

    Returns
    -------
    callable
        A function of the arguments of `fun`, which returns the `Timings`.

    Raises
    ------
    ValueError
        If there is no function, or no size.
    CaptureError
        When it is called: if the call cannot be traced, as in `inspect`; for functions that
        another library has wrapped, and for Flax NNX modules, whose state would change.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> sums = jaxviz.timeit(jnp.cumsum, sizes=(10, 100), seconds=0)(lambda n: (jnp.ones(n),))
    >>> [timing.size for timing in sums.timings]
    [10, 100]
    """
    is_one = callable(fun) or isinstance(fun, str) or not isinstance(fun, Iterable)
    functions = cast(
        "Sequence[Callable[..., Any]]", [fun] if is_one else [*cast("Iterable[Any]", fun)]
    )
    each_size = None if sizes is None else tuple(sizes)
    if not functions or each_size == ():
        raise ValueError("timeit needs a function, and where it is given sizes, at least one.")
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def one(
        function: Callable[..., Any], args: Any, kwargs: Any, size: int | None = None
    ) -> tuple[Timing, Program]:
        timing, captured = timed(function, args, kwargs, statics, seconds, size)
        return timing, Program(*captured)

    def call(*args: Any, **kwargs: Any) -> Timings:
        return Timings(one(function, args, kwargs) for function in functions)

    def calls(arguments: Callable[[int], tuple[Any, ...]]) -> Timings:
        pairs = product(each_size or (), functions)
        return Timings(one(function, arguments(size), {}, size) for size, function in pairs)

    return call if each_size is None else calls
