"""What a timed call took, and what follows from it. Nothing is measured here."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from jaxviz.amounts import digits
from jaxviz.schema import Spread, Timing

_NONE = Spread(low=math.nan, median=math.nan, high=math.nan, runs=0)


def spread(runs: Sequence[float]) -> Spread:
    """The spread of two runs or more."""
    low, median, high = statistics.quantiles(runs, n=4, method="inclusive")
    return Spread(low=low, median=median, high=high, runs=len(runs))


def columns(timing: Timing) -> dict[str, object]:
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
