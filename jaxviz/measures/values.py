"""What the values of a run were like, and how that is said. Nothing is run here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

from jaxviz import schema
from jaxviz.schema import Frame
from jaxviz.schema.graph import line_text

MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Distribution:
    """How the finite elements of a result are spread, over all runs and devices; of complex numbers
    their magnitudes. Numbers are to three digits, None where nothing is finite; counting ends at
    4,294,967,295.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: x * 2.0, lines=1)(jnp.array([0.0, 1.0, 3.0]))
    >>> spread = found.rows[0].distribution
    >>> (spread.smallest, spread.greatest, spread.mean, spread.zeros, spread.exponents)
    (0.0, 6.0, 2.67, 1, {1: 1, 2: 1})
    """

    runs: int | None
    """How often the eqn ran, counted on each device; None in a report that was loaded."""
    finite: int
    """How many elements are finite: zeros, subnormal and normal numbers."""
    smallest: float | None
    greatest: float | None
    mean: float | None
    deviation: float | None
    """The standard deviation of them all, not of a sample."""
    zeros: int
    subnormals: int
    exponents: dict[int, int]
    """How many normal numbers have a magnitude of at least 2 to this power, and below the next."""
    turns: tuple[float | None, ...]
    """The largest magnitude in each turn of the innermost loop around the eqn, over all the times
    that the loop ran: NaN or infinite where an element was, None where the eqn did not run. At most
    the first 1,000 turns; empty outside of loops."""

    @classmethod
    def of(cls, record: schema.ValueDistribution) -> Self:
        """Give what the record of a distribution was made of, as far as that has it."""
        powers, turns = record.exponents, record.turns
        sizes = [size for _, size in _sizes(turns)] if turns else []
        flawed = {at * turns.each for at in turns.flawed} if turns else set[int]()
        return cls(
            runs=None,
            finite=record.finite,
            smallest=record.smallest,
            greatest=record.greatest,
            mean=record.mean,
            deviation=record.deviation,
            zeros=record.zeros,
            subnormals=record.subnormals,
            exponents={power: int(count) for power, count in _sizes(powers)} if powers else {},
            turns=tuple(math.nan if at in flawed else size for at, size in enumerate(sizes)),
        )

    def record(self) -> schema.ValueDistribution:
        """As a page gets it."""
        return schema.ValueDistribution(
            finite=self.finite,
            smallest=self.smallest,
            greatest=self.greatest,
            mean=self.mean,
            deviation=self.deviation,
            zeros=self.zeros,
            subnormals=self.subnormals,
            exponents=self._of_powers(),
            turns=_bars(0, [size or 0.0 for size in self.turns]),
        )

    def _of_powers(self) -> schema.Bars | None:
        first, last = min(self.exponents, default=0), max(self.exponents, default=-1)
        return _bars(first, [self.exponents.get(power, 0) for power in range(first, last + 1)])

    def sentences(self) -> list[str]:
        """Its numbers, as text."""
        told: list[str] = []
        if self.smallest is not None:
            told.append(f"{self.smallest:.3g} to {self.greatest:.3g}")
            told.append(f"mean {self.mean:.3g}, deviation {self.deviation:.3g}")
        for count, name in ((self.zeros, "zeros"), (self.subnormals, "subnormal")):
            told += [f"{count:,} of {self.finite:,} {name}"] if count else []
        lines = [", ".join(told)] if told else []
        found = self.record()
        if powers := found.exponents:
            last = powers.first + powers.count
            lines.append(f"magnitudes from 2^{powers.first} to below 2^{last}: {_drawn(powers)}")
        if turns := found.turns:
            lines.append(f"largest in turns 0 to {turns.count - 1}: {_drawn(turns)}")
        return lines


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
    distribution: Distribution | None
    """Of the lines that were asked for, how the elements are spread."""
    written: bool
    """Whether it is made of numbers alone that are written in the program, as the NaN is of
    `jnp.where(n > 0, mean, jnp.nan)`."""

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
            "written": self.written,
            **(asdict(self.distribution) if self.distribution else {}),
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
    """Those with elements that are not finite, as the program has them, then the largest. What is
    written in the program as not finite comes last: that is meant, and few results take any."""
    return sorted(rows, key=_order)


def _order(row: ValueStatistics) -> tuple[int, float]:
    if row.finite:
        return 1, -(row.largest or 0)
    return (2 if row.written else 0), 0


class Told(NamedTuple):
    """What one run told."""

    rows: tuple[ValueStatistics, ...]
    left_out: tuple[str, ...]
    """The debug prints and callbacks of the program, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""


def values_text(function: str, told: Told) -> str:
    """It as text: a line for each line of the user's, or all of the rows with distributions."""
    ran = worst_first(row for row in told.rows if row.ran)
    whole = any(row.distribution for row in ran)
    lines = _whole(ran) if whole else _by_line(ran)
    heading = (_WHOLE if whole else _HEADING) if lines else _NONE
    lines = [heading.format(function), *lines, _ROUNDED]
    if told.left_out:
        lines.append(f"Not repeated: {', '.join(told.left_out)}.")
    if told.run_again:
        lines.append("pure_callback ran again.")
    return "\n".join(lines)


def first_of_lines(rows: Iterable[ValueStatistics]) -> list[ValueStatistics]:
    """Of each line the first that ran of `worst_first`."""
    found: dict[str, ValueStatistics] = {}
    for row in worst_first(row for row in rows if row.ran):
        found.setdefault(_line(row.frame), row)
    return [*found.values()]


def _by_line(rows: list[ValueStatistics]) -> list[str]:
    found = first_of_lines(rows)
    told = [f"  {row.sentence()} in {row.op} {row.type}{_line(row.frame)}" for row in found]
    more = len(told) - MOST_LINES
    return told[:MOST_LINES] + ([f"  … and {more} more lines: records() has all."] * (more > 0))


def _whole(rows: list[ValueStatistics]) -> list[str]:
    """All of each row."""
    told: list[str] = []
    for row in rows:
        more = row.distribution.sentences() if row.distribution else []
        told.append(f"  {row.sentence()} in {row.op} {row.type}{_line(row.frame)}")
        told += [f"    {sentence}" for sentence in more]
    return told


def _bars(first: int, sizes: Sequence[float]) -> schema.Bars | None:
    """A bar for each, at most 60, of several the highest; None where there are none."""
    if not sizes:
        return None
    step = -(-len(sizes) // 60)
    parts = [sizes[at : at + step] for at in range(0, len(sizes), step)]
    return schema.Bars(
        first=first,
        each=step,
        count=len(sizes),
        heights=[float(max(filter(math.isfinite, part), default=0.0)) for part in parts],
        flawed=[at for at, part in enumerate(parts) if not all(map(math.isfinite, part))],
    )


def _sizes(bars: schema.Bars) -> Iterator[tuple[int, float]]:
    """The power or turn of each size that bars were made of. A bar of several has its height in the
    first of them."""
    for at in range(bars.count):
        bar, inner = divmod(at, bars.each)
        yield bars.first + at, 0.0 if inner else bars.heights[bar]


def _drawn(bars: schema.Bars) -> str:
    """Bars as text. `!` stands for what is not finite."""
    unit = max(bars.heights) or 1.0
    drawn = [_BARS[math.ceil(high / unit * (len(_BARS) - 1))] for high in bars.heights]
    return "".join("!" if at in bars.flawed else bar for at, bar in enumerate(drawn))


def _line(frame: Frame | None) -> str:
    return f", {line_text(frame)}" if frame else ""


_BARS = " ▁▂▃▄▅▆▇█"
_HEADING = (
    "One result of each line of {}, in one run: the first that is not finite, unless it is "
    "written so, else the largest, by its magnitude:"
)
_WHOLE = (
    "The largest magnitude of what each operation of these lines of {} made, and how that is "
    "spread, first what is not finite, unless it is written so:"
)
_NONE = "No eqn of {} that ran has a result of floating-point or complex numbers."
_ROUNDED = (
    "Of a run of the same program with these numbers beside it, in which operations may be fused "
    "otherwise: values may differ from your run's in the last digits."
)
