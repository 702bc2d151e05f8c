"""The values of a run, a row for each result of each eqn, and their records."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from msgspec.structs import replace

from jaxviz.schema import EqnValues, Frame, Stage
from jaxviz.schema.graph import first_eqns, line_text
from jaxviz.tools.statistics.record import Bars, LineValues, PartValues, ValueDistribution


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distribution of a result's finite elements, over all runs and devices.

    For complex numbers it is the distribution of their magnitudes. Numbers are to three digits,
    None if nothing is finite. Counts end at 4,294,967,295.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: x * 2.0, lines=1)(jnp.array([0.0, 1.0, 3.0]))
    >>> spread = found.rows[0].distribution
    >>> (spread.smallest, spread.greatest, spread.mean, spread.zeros, spread.exponents)
    (0.0, 6.0, 2.67, 1, {1: 1, 2: 1})
    """

    runs: int | None
    """The number of runs of the eqn, counted on each device; None in a report that was loaded."""
    finite: int
    """The number of finite elements: zeros, subnormal and normal numbers."""
    smallest: float | None
    greatest: float | None
    mean: float | None
    deviation: float | None
    """The standard deviation of all elements, not of a sample."""
    zeros: int
    subnormals: int
    exponents: dict[int, int]
    """For each power of 2, the number of normal elements with a magnitude from it to the next
    power."""
    turns: tuple[float | None, ...]
    """The largest magnitude in each iteration of the innermost loop around the eqn, over all the
    times that the loop ran: NaN or infinite if an element was, None if the eqn did not run. At most
    the first 1,000 iterations; empty outside of loops."""

    @classmethod
    def of(cls, record: ValueDistribution) -> Self:
        """Give the distribution of a record, as far as the record has it."""
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

    def record(self) -> ValueDistribution:
        """Give the record for a page."""
        return ValueDistribution(
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

    def _of_powers(self) -> Bars | None:
        first, last = min(self.exponents, default=0), max(self.exponents, default=-1)
        return _bars(first, [self.exponents.get(power, 0) for power in range(first, last + 1)])


@dataclass(frozen=True, slots=True)
class ValueStatistics:
    """The values of one result of one eqn, over all the times that the eqn ran.

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
    """The index of the result among those of the eqn, from 0."""
    op: str
    """The eqn's primitive, such as `exp`."""
    type: str
    """The type of the result: `f32[8,3]`. In `shard_map` it is the type of one device's part."""
    frame: Frame | None
    """The user's line."""
    ran: bool
    """True if the eqn ran. An eqn in a branch that was not taken, or in a loop without iterations,
    did not."""
    largest: float | None
    """The largest magnitude of its finite elements, to three digits; None if there is none."""
    nan: int
    """The number of NaN elements, over all runs and devices. The count ends at 4,294,967,295."""
    inf: int
    """The number of infinite elements, counted as for `nan`."""
    distribution: Distribution | None
    """The distribution of the elements, for lines that were requested."""
    written: bool
    """True if it is computed only from numbers that are written in the program, such as the NaN of
    `jnp.where(n > 0, mean, jnp.nan)`."""

    @property
    def finite(self) -> bool:
        """True if no element was NaN or infinite."""
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


def worst_first(rows: Iterable[ValueStatistics]) -> list[ValueStatistics]:
    """The rows with elements that are not finite, in program order, then the largest. Rows that are
    written as not finite in the program come last, since they are intended."""
    return sorted(rows, key=_order)


def _order(row: ValueStatistics) -> tuple[int, float]:
    if row.finite:
        return 1, -(row.largest or 0)
    return (2 if row.written else 0), 0


def first_of_lines(rows: Iterable[ValueStatistics]) -> list[ValueStatistics]:
    """The first row of each line that ran, in the order of `worst_first`."""
    found: dict[str, ValueStatistics] = {}
    for row in worst_first(row for row in rows if row.ran):
        found.setdefault(line_of(row), row)
    return [*found.values()]


def line_of(row: ValueStatistics) -> str:
    """The user's line as text; empty if the eqn has none."""
    return line_text(row.frame) if row.frame else ""


def with_values(stage: Stage, rows: Sequence[ValueStatistics]) -> Stage:
    """A jaxpr with the values of its eqns' results; any other stage unchanged."""
    if stage.kind != "jaxpr":
        return stage
    return replace(stage, values=_by_eqn(stage, rows))


def part_values(stage: Stage, rows: Sequence[ValueStatistics]) -> PartValues:
    """The values of the results of some eqns of a jaxpr."""
    ran = [row for row in rows if row.ran]
    return PartValues(eqns=_by_eqn(stage, rows), results=line_values(stage, ran))


def line_values(stage: Stage, rows: Iterable[ValueStatistics]) -> list[LineValues]:
    """Rows as listed on a page."""
    starts = first_eqns(stage.graphs)
    return [
        LineValues(
            frame=row.frame and replace(row.frame, parent=None),
            eqn=starts[row.graph] + row.eqn,
            result=row.result,
            op=row.op,
            type=row.type,
            largest=row.largest,
            nan=row.nan,
            inf=row.inf,
            distribution=row.distribution and row.distribution.record(),
        )
        for row in rows
    ]


def rows_of(stage: Stage, lines: Sequence[LineValues]) -> Iterator[ValueStatistics]:
    """The rows of a jaxpr with values: those of eqns that ran."""
    spread = {(one.eqn, one.result): one.distribution for one in lines if one.distribution}
    eqns = [
        (number, at) for number, graph in enumerate(stage.graphs) for at in range(len(graph.eqns))
    ]
    for found in stage.values:
        number, at = eqns[found.eqn]
        graph = stage.graphs[number]
        eqn = graph.eqns[at]
        for result, largest in enumerate(found.largest):
            aval = stage.avals[graph.vars[eqn.outvars[result]].aval]
            if not re.match("b?float|complex", aval.dtype):
                continue
            distribution = spread.get((found.eqn, result))
            yield ValueStatistics(
                graph=number,
                eqn=at,
                result=result,
                op=eqn.op,
                type=aval.text,
                frame=None if eqn.frame is None else stage.frames[eqn.frame],
                ran=True,
                largest=float(largest) if largest else None,
                nan=found.nan[result],
                inf=found.inf[result],
                distribution=distribution and Distribution.of(distribution),
                written=result in found.written,
            )


def _by_eqn(stage: Stage, rows: Sequence[ValueStatistics]) -> list[EqnValues]:
    starts = first_eqns(stage.graphs)
    ran: dict[tuple[int, int], dict[int, ValueStatistics]] = defaultdict(dict)
    for row in rows:
        if row.ran:
            ran[row.graph, row.eqn][row.result] = row
    return [
        _of_eqn(starts[graph] + eqn, [found.get(at) for at in range(max(found) + 1)])
        for (graph, eqn), found in sorted(ran.items())
    ]


def _of_eqn(number: int, results: Sequence[ValueStatistics | None]) -> EqnValues:
    return EqnValues(
        eqn=number,
        largest=[
            "" if row is None or row.largest is None else f"{row.largest:.3g}" for row in results
        ],
        nan=[row.nan if row else 0 for row in results],
        inf=[row.inf if row else 0 for row in results],
        written=[at for at, row in enumerate(results) if row and row.written],
        spread=[_spread(row) for row in results],
    )


def _spread(row: ValueStatistics | None) -> str:
    found = row.distribution if row else None
    if found is None or found.smallest is None:
        return ""
    return f"{found.smallest:.3g}…{found.greatest:.3g}"


def _bars(first: int, sizes: Sequence[float]) -> Bars | None:
    """A bar for each size, at most 60. Several sizes share a bar with their maximum. None if there
    are no sizes."""
    if not sizes:
        return None
    step = -(-len(sizes) // 60)
    parts = [sizes[at : at + step] for at in range(0, len(sizes), step)]
    return Bars(
        first=first,
        each=step,
        count=len(sizes),
        heights=[float(max(filter(math.isfinite, part), default=0.0)) for part in parts],
        flawed=[at for at, part in enumerate(parts) if not all(map(math.isfinite, part))],
    )


def _sizes(bars: Bars) -> Iterator[tuple[int, float]]:
    """The power or iteration of each size in these bars. A bar of several has its height in the
    first of them."""
    for at in range(bars.count):
        bar, inner = divmod(at, bars.each)
        yield bars.first + at, 0.0 if inner else bars.heights[bar]
