"""Times of calls as a table of text, with conclusions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxviz.display.text.summary import harmless
from jaxviz.schema import Sentence
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import digits, seconds_text
from jaxviz.tools.timeit.record import Spread, Timing

HEADINGS = (
    *("function", "size", "eqns", "trace", "lower", "compile", "first run"),
    *("with jit", "op by op", "runs of each"),
)
LEGEND = (
    "Runs: median and quartiles of the time until the results are ready. Trace: the function's own "
    "body only, because the jitted functions that it calls were traced before."
)


def times_text(timings: Sequence[Timing]) -> str:
    """The table, and the conclusion on each row."""
    rows = [HEADINGS, *map(_cells, timings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
    sizes = ["" if one.size is None else f", size {one.size:,}" for one in timings]
    gains = [f"{one.function}{size}: {gain(one)}" for one, size in zip(timings, sizes, strict=True)]
    return "\n".join(map(harmless, [*table, *gains, LEGEND]))


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


def gain(timing: Timing) -> Sentence:
    """The gain from jit. If the quartiles of both overlap, the sentence says only this."""
    jitted, eager = timing.jitted, timing.eager
    if eager is None:
        return sentence("fails without jit")
    unknown = 0.0 in (jitted.median, eager.median)  # in a damaged file
    if unknown or (jitted.low <= eager.high and eager.low <= jitted.high):
        return sentence("quartiles overlap")
    if jitted.median > eager.median:
        return sentence("jit loses", times=str(digits(jitted.median / eager.median)))
    made = timing.trace + timing.lower + timing.compile
    calls = math.ceil(made / (eager.median - jitted.median))
    return sentence("jit gains", count=calls, times=str(digits(eager.median / jitted.median)))
