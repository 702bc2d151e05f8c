"""Times of calls as a table of text, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxviz.amounts import digits, seconds_text
from jaxviz.display.summary import harmless
from jaxviz.tools.timeit.record import Spread, Timing

HEADINGS = (
    *("function", "size", "eqns", "trace", "lower", "compile", "first run"),
    *("with jit", "op by op", "runs of each"),
)
LEGEND = (
    "Runs: the median and the quartiles, each until its results are there. Trace: of the "
    "function's own body, as the jitted functions that it calls were traced before."
)


def times_text(timings: Sequence[Timing]) -> str:
    """The table, and what follows from each row."""
    rows = [HEADINGS, *map(_cells, timings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    return "\n".join(map(harmless, [*table, *_gains(timings), LEGEND]))


def _cells(timing: Timing) -> tuple[str, ...]:
    steps = (timing.trace, timing.lower, timing.compile, timing.first_run)
    return (
        timing.function,
        "" if timing.size is None else f"{timing.size:,}",
        f"{timing.eqns:,}",
        *map(seconds_text, steps),
        _spread(timing.jitted),
        "fails" if timing.eager is None else _spread(timing.eager),
        f"{timing.jitted.runs:,}",
    )


def _spread(found: Spread) -> str:
    low, median, high = map(seconds_text, (found.low, found.median, found.high))
    return f"{median} ({low} to {high})"


def _gains(timings: Sequence[Timing]) -> list[str]:
    return [f"{_which(timing)}: {gain(timing)}" for timing in timings]


def _which(timing: Timing) -> str:
    return timing.function + ("" if timing.size is None else f", size {timing.size:,}")


ALONE = "It fails without jit, so there is nothing to compare."
OVERLAP = "With jit and without it takes about as long: the quartiles of both overlap."
LOSES = "With jit it takes {} × as long as op by op."
GAINS = (
    "Op by op takes {} × as long as with jit. To trace, lower and compile pays off after about "
    "{:,} {}."
)


def gain(timing: Timing) -> str:
    """Whether jit gained anything, in a sentence. Where the quartiles of both overlap it says no
    more than that."""
    jitted, eager = timing.jitted, timing.eager
    if eager is None:
        return ALONE
    if jitted.low <= eager.high and eager.low <= jitted.high:
        return OVERLAP
    if jitted.median > eager.median:
        return LOSES.format(digits(jitted.median / eager.median))
    made = timing.trace + timing.lower + timing.compile
    calls = math.ceil(made / (eager.median - jitted.median))
    times = digits(eager.median / jitted.median)
    return GAINS.format(times, calls, "call" if calls == 1 else "calls")
