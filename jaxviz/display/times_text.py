"""Times of calls as a table: as text, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.amounts import seconds_text
from jaxviz.display.summary import harmless
from jaxviz.display.table_html import paragraphs_html, table_html
from jaxviz.measures.timing import gain
from jaxviz.schema import Spread, Timing

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


def times_html(timings: Sequence[Timing]) -> str:
    """The same, as a table that takes colours and fonts from its page."""
    rows = [[_unbroken(cell) for cell in _cells(timing)] for timing in timings]
    return table_html([HEADINGS, *rows]) + paragraphs_html([*_gains(timings), LEGEND])


def _unbroken(cell: str) -> str:
    """The cell with spaces at which no line ends, but between a median and its quartiles."""
    return cell.replace(" ", "\u00a0").replace("\u00a0(", " (")


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
