"""What the values of a run of a program were like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from jaxviz import schema
from jaxviz.capture import CaptureError
from jaxviz.capture.rerun import Rerun
from jaxviz.capture.rerun.held_run import HeldRun
from jaxviz.capture.statistics import distributions_of
from jaxviz.displayed import Displayed, Report
from jaxviz.measures.stage_values import line_values, part_values, rows_of, with_values
from jaxviz.measures.values import Told, ValueStatistics, first_of_lines, values_text, worst_first

MOST_LINES = 200
"""How many lines an output has."""


Shown = TypeVar("Shown", bound=Displayed)


class Statistics(Report, Generic[Shown]):
    """What the values of one run of a call were like, a row for each result of each eqn.

    Results that are neither floating-point nor complex numbers have no row, nor have those of
    eqns that were run whole with their bodies, such as a solver's or a Pallas kernel's. As the last
    value of a cell it is the program, with the largest magnitude beside each edge, and a list of
    your lines, what is not finite first; `print` gives the list, and `save` writes to a file the
    numbers that this view shows. Where `lines` were named it has
    all that these make, with the curve of each over the turns of its loop. The details of a part of
    the program have a button that runs it once more for the distributions of that part: for this
    up to 16 MiB of the arguments are held. Else it holds strings and numbers alone.

    Attributes
    ----------
    program : Program
        What JAX made of the call.
    rows : tuple
        What each result of each eqn was like.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.sum(x * x))(jnp.array([3.0, 4.0]))
    >>> [(row["op"], row["largest"]) for row in found.records()]
    [('mul', 16.0), ('reduce_sum', 25.0)]
    """

    __slots__ = ("_told", "program", "record")

    _reads = schema.Values

    def __init__(self, program: Shown, told: Told, again: Rerun) -> None:
        self.program = program._ran(lambda stage: with_values(stage, told.rows), _Part(again))
        self.record = _of_lines(self.program, told)
        self._told = told

    @classmethod
    def _loaded(cls, program: Displayed, record: schema.Values) -> Statistics[Any]:
        found = object.__new__(cls)
        rows = rows_of(program._stages.stage("jaxpr"), record.lines)
        found.program, found.record = program, record
        found._told = Told((*rows,), (*record.left_out,), record.run_again)
        return found

    @property
    def rows(self) -> tuple[ValueStatistics, ...]:
        return self._told.rows

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        return values_text(self.program._stages.head.name, self._told)

    __repr__ = __str__


class _Part:
    """Runs a program once more, for the distributions of some of its eqns."""

    def __init__(self, again: Rerun) -> None:
        self._held = HeldRun(again)

    def __call__(self, eqns: Sequence[int]) -> schema.PartValues:
        """What these were like. Raises ValueError, with a sentence, where it cannot be told."""
        try:
            again = self._held.again()
            return part_values(again.jaxpr, distributions_of(again, eqns).rows)
        except CaptureError as error:
            raise ValueError(str(error)) from None


def _of_lines(program: Displayed, told: Told) -> schema.Values:
    ran = worst_first(row for row in told.rows if row.ran)
    found = ran if any(row.distribution for row in ran) else first_of_lines(ran)
    lines = line_values(program._stages.stage("jaxpr"), found[:MOST_LINES])
    more = max(0, len(found) - MOST_LINES)
    return schema.Values(
        lines=lines, more=more, left_out=[*told.left_out], run_again=told.run_again
    )
