"""The values of a run, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from jaxviz.capture.rerun import effects
from jaxviz.tools.statistics.record import Bars, Statistics
from jaxviz.tools.statistics.rows import (
    Distribution,
    ValueStatistics,
    first_of_lines,
    line_of,
    worst_first,
)

MOST_LINES = 20


def values_text(function: str, rows: Sequence[ValueStatistics], record: Statistics) -> str:
    """A row for each line of the user, or all rows with their distributions."""
    ran = worst_first(row for row in rows if row.ran)
    whole = any(row.distribution for row in ran)
    lines = [*_whole(ran)] if whole else _by_line(ran)
    heading = (_WHOLE if whole else _HEADING) if lines else _NONE
    return "\n".join([heading.format(function), *lines, _ROUNDED, *effects(record)])


def _by_line(rows: list[ValueStatistics]) -> list[str]:
    found = [*map(_row_text, first_of_lines(rows))]
    more = len(found) - MOST_LINES
    return found[:MOST_LINES] + ([f"  … and {more} more lines: records() has all."] * (more > 0))


def _whole(rows: list[ValueStatistics]) -> Iterator[str]:
    for row in rows:
        yield _row_text(row)
        for sentence in _sentences(row.distribution) if row.distribution else ():
            yield f"    {sentence}"


def _row_text(row: ValueStatistics) -> str:
    line = line_of(row)
    return f"  {row_sentence(row)} in {row.op} {row.type}{f', {line}' if line else ''}"


def row_sentence(row: ValueStatistics) -> str:
    """The numbers of a row."""
    largest = "" if row.largest is None else f"{row.largest:.3g}"
    if row.finite:
        return largest or "empty"
    counts = ((row.nan, "NaN"), (row.inf, "inf"))
    flaws = [f"{count:,} {name}" for count, name in counts if count]
    return ", ".join([*flaws, f"else up to {largest}" if largest else "none finite"])


def _sentences(of: Distribution) -> Iterator[str]:
    """The numbers of a distribution."""
    numbers: list[str] = []
    if of.smallest is not None:
        numbers.append(f"{of.smallest:.3g} to {of.greatest:.3g}")
        numbers.append(f"mean {of.mean:.3g}, deviation {of.deviation:.3g}")
    for count, name in ((of.zeros, "zeros"), (of.subnormals, "subnormal")):
        numbers += [f"{count:,} of {of.finite:,} {name}"] if count else []
    if numbers:
        yield ", ".join(numbers)
    record = of.record()
    if powers := record.exponents:
        last = powers.first + powers.count
        yield f"magnitudes from 2^{powers.first} to below 2^{last}: {_drawn(powers)}"
    if turns := record.turns:
        yield f"largest in iterations 0 to {turns.count - 1}: {_drawn(turns)}"


def _drawn(bars: Bars) -> str:
    """Bars as text. `!` means that an element is not finite."""
    unit = max(bars.heights) or 1.0
    drawn = [_BARS[math.ceil(high / unit * (len(_BARS) - 1))] for high in bars.heights]
    return "".join("!" if at in bars.flawed else bar for at, bar in enumerate(drawn))


_BARS = " ▁▂▃▄▅▆▇█"
_HEADING = (
    "One result of each line of {}, in one run: the first that is not finite, unless it is "
    "made only of literals; else the one with the largest magnitude:"
)
_WHOLE = (
    "The largest magnitude and the distribution of each result of these lines of {}. Results that "
    "are not finite come first, unless they are made only of literals:"
)
_NONE = "No eqn of {} that ran has a result of floating-point or complex numbers."
_ROUNDED = (
    "These numbers are from another run, in which operations may be fused differently: values may "
    "differ from those of your run in the last digits."
)
