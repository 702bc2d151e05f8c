"""What a timed call took, and what follows from it. Nothing is measured here."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxviz.amounts import digits


class Spread(NamedTuple):
    """The median of several runs, in seconds, between their quartiles."""

    low: float
    median: float
    high: float
    runs: int


def spread(runs: Sequence[float]) -> Spread:
    """The spread of two runs or more."""
    low, median, high = statistics.quantiles(runs, n=4, method="inclusive")
    return Spread(low, median, high, len(runs))


@dataclass(frozen=True, slots=True)
class Timing:
    """What one call of a function took, step by step, in seconds."""

    function: str
    size: int | None
    eqns: int
    trace: float
    lower: float
    compile: float
    first_run: float
    jitted: Spread
    """Calls of the compiled program, until their results are there."""
    eager: Spread | None
    """Calls without jit, op by op; None if that fails."""

    def record(self) -> dict[str, object]:
        """A row for `pandas.DataFrame`."""
        return {
            "function": self.function,
            "size": self.size,
            "eqns": self.eqns,
            "trace": self.trace,
            "lower": self.lower,
            "compile": self.compile,
            "first_run": self.first_run,
            **_columns("jitted", self.jitted),
            **_columns("eager", self.eager or Spread(math.nan, math.nan, math.nan, 0)),
        }


def _columns(of: str, found: Spread) -> dict[str, float]:
    low, median, high, runs = found
    return {of: median, f"{of}_low": low, f"{of}_high": high, f"{of}_runs": runs}


def gain(timing: Timing) -> str:
    """Whether jit gained anything, in a sentence. Where the quartiles of both overlap it says no
    more than that."""
    jitted, eager = timing.jitted, timing.eager
    if eager is None:
        return "It fails without jit, so there is nothing to compare."
    if jitted.low <= eager.high and eager.low <= jitted.high:
        return "With jit and without it takes about as long: the quartiles of both overlap."
    if jitted.median > eager.median:
        return f"With jit it takes {_times(jitted, eager)} as long as op by op."
    made = timing.trace + timing.lower + timing.compile
    calls = math.ceil(made / (eager.median - jitted.median))
    many = "call" if calls == 1 else "calls"
    return (
        f"Op by op takes {_times(eager, jitted)} as long as with jit. To trace, lower and compile "
        f"pays off after about {calls:,} {many}."
    )


def _times(more: Spread, less: Spread) -> str:
    return f"{digits(more.median / less.median)} ×"
