"""What the values of a run were like, and how that is said. Nothing is run here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jaxviz.schema import Frame

MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class ValueStatistics:
    """What one result of one eqn was like, over all the times that the eqn ran.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.exp(x) * 2.0)(jnp.array([1.0, 100.0]))
    >>> [(row.op, row.largest, row.inf) for row in found.rows]
    [('exp', 2.72, 1), ('mul', 5.44, 1)]
    """

    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`."""
    result: int
    """Which of the eqn's results, from 0."""
    op: str
    """The eqn's primitive, such as `exp`."""
    type: str
    """The type of the result: `f32[8,3]`. In `shard_map` it is of one device's part."""
    frame: Frame | None
    """The user's line."""
    ran: bool
    """Whether the eqn ran: one in a branch that was not taken, or in a loop without turns, did
    not."""
    largest: float | None
    """The largest magnitude of its finite elements, to three digits; None where there is none."""
    nan: int
    """How many elements were NaN, over all runs and devices; counting ends at 4,294,967,295."""
    inf: int
    """How many were infinite, likewise."""

    @property
    def finite(self) -> bool:
        """Whether no element was NaN or infinite."""
        return self.nan == self.inf == 0

    def record(self) -> dict[str, Any]:
        """A row for `pandas.DataFrame`."""
        frame = self.frame
        return {
            "graph": self.graph,
            "eqn": self.eqn,
            "result": self.result,
            "op": self.op,
            "type": self.type,
            "file": frame.file if frame else None,
            "line": frame.line if frame else None,
            "ran": self.ran,
            "largest": self.largest,
            "nan": self.nan,
            "inf": self.inf,
        }

    def sentence(self) -> str:
        """Its numbers, as text."""
        largest = "" if self.largest is None else f"{self.largest:.3g}"
        if self.finite:
            return largest or "empty"
        counts = ((self.nan, "NaN"), (self.inf, "inf"))
        told = [f"{count:,} {name}" for count, name in counts if count]
        return ", ".join([*told, f"else up to {largest}" if largest else "none finite"])


def worst_first(rows: Iterable[ValueStatistics]) -> list[ValueStatistics]:
    """Those with elements that are not finite, as the program has them, then the largest."""
    return sorted(rows, key=lambda row: (row.finite, -(row.largest or 0) if row.finite else 0))


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the values of one run of a call were like, a row for each result of each eqn.

    Results that are neither floating-point nor complex numbers have no row, nor have those of
    eqns that were run whole with their bodies, such as a solver's or a Pallas kernel's. As the last
    value of a cell it is a line for each line of yours.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.sum(x * x))(jnp.array([3.0, 4.0]))
    >>> [(row["op"], row["largest"]) for row in found.records()]
    [('mul', 16.0), ('reduce_sum', 25.0)]
    """

    function: str
    rows: tuple[ValueStatistics, ...]
    left_out: tuple[str, ...]
    """The debug prints and callbacks of the program, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        by_line: dict[str, ValueStatistics] = {}
        for row in worst_first(row for row in self.rows if row.ran):
            by_line.setdefault(_line(row.frame), row)
        told = [f"  {row.sentence()} in {row.op} {row.type}{at}" for at, row in by_line.items()]
        lines = (
            [_HEADING.format(self.function), *told[:MOST_LINES]]
            if told
            else [_NONE.format(self.function)]
        )
        if len(told) > MOST_LINES:
            lines.append(f"  … and {len(told) - MOST_LINES} more lines: records() has all.")
        lines.append(_ROUNDED)
        if self.left_out:
            lines.append(f"Not repeated: {', '.join(self.left_out)}.")
        if self.run_again:
            lines.append("pure_callback ran again.")
        return "\n".join(lines)

    __repr__ = __str__


def _line(frame: Frame | None) -> str:
    if frame is None:
        return ""
    code = f" ({frame.code})" if frame.code else ""
    return f", {frame.file}, line {frame.line}{code}"


_HEADING = "The largest magnitude of what each line of {} made, not finite first:"
_NONE = "No eqn of {} that ran has a result of floating-point or complex numbers."
_ROUNDED = (
    "Of a run of the same program with these numbers beside it, in which operations may be fused "
    "otherwise: values may differ from your run's in the last digits."
)
