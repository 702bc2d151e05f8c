"""What the values of a run of a program were like."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.bundle import Beside, chosen, whole_bundle
from jaxviz.displayed import Displayed
from jaxviz.measures.stage_values import with_values
from jaxviz.measures.values import Told, ValueStatistics, first_of_lines, values_text, worst_first
from jaxviz.schema.graph import first_eqns

MOST_LINES = 200
"""How many lines an output has."""


Shown = TypeVar("Shown", bound=Displayed)


class Statistics(Generic[Shown]):
    """What the values of one run of a call were like, a row for each result of each eqn.

    Results that are neither floating-point nor complex numbers have no row, nor have those of
    eqns that were run whole with their bodies, such as a solver's or a Pallas kernel's. As the last
    value of a cell it is the program, with the largest magnitude beside each edge, and a list of
    your lines, what is not finite first; `print` gives the list. Where `lines` were named it has
    all that these make, with the curve of each over the turns of its loop. It is immutable, and
    holds strings and numbers alone.

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

    __slots__ = ("_told", "program")

    def __init__(self, program: Shown, told: Told) -> None:
        self.program = program._ran(lambda stage: with_values(stage, told.rows))
        self._told = told

    @property
    def rows(self) -> tuple[ValueStatistics, ...]:
        return self._told.rows

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        return values_text(self.program._stages.head.name, self._told)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        stages, opening = self.program._stages, self.program.opening
        beside = Beside(str(self), values=_of_lines(self.program, self._told))
        return chosen(whole_bundle(stages, opening, beside), include, exclude)


def _of_lines(program: Displayed, told: Told) -> schema.Values:
    starts = first_eqns(program._stages.stage("jaxpr").graphs)
    ran = worst_first(row for row in told.rows if row.ran)
    found = ran if any(row.distribution for row in ran) else first_of_lines(ran)
    lines = [
        schema.LineValues(
            frame=row.frame and replace(row.frame, parent=None),
            eqn=starts[row.graph] + row.eqn,
            op=row.op,
            type=row.type,
            largest=row.largest,
            nan=row.nan,
            inf=row.inf,
            distribution=row.distribution and row.distribution.record(),
        )
        for row in found[:MOST_LINES]
    ]
    more = max(0, len(found) - MOST_LINES)
    return schema.Values(
        lines=lines, more=more, left_out=[*told.left_out], run_again=told.run_again
    )
