"""The magnitudes of a run's values: `jaxviz.statistics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from jaxviz.capture import CaptureError
from jaxviz.capture.rerun import Rerun, RetainedRun, rerun
from jaxviz.display.page_requests import Question
from jaxviz.displayed import Displayed, Report
from jaxviz.program import Program
from jaxviz.safety.background import Job, start_job
from jaxviz.sentences import sentence, sentence_of
from jaxviz.stages import Stages
from jaxviz.tools.statistics.capture import distributions_of, statistics_of
from jaxviz.tools.statistics.record import PartValues
from jaxviz.tools.statistics.record import Statistics as StatisticsRecord
from jaxviz.tools.statistics.rows import (
    ValueStatistics,
    first_of_lines,
    line_values,
    part_values,
    rows_of,
    with_values,
    worst_first,
)
from jaxviz.tools.statistics.text import values_text

MOST_LINES = 200
"""The largest number of lines in an output."""


Shown = TypeVar("Shown", bound=Displayed)


class Statistics(Report, Generic[Shown]):
    """The values of one run of a call, a row for each result of each eqn.

    Results that are neither floating-point nor complex numbers have no row. Neither have results of
    eqns that run as a whole with their bodies, such as a solver's or a Pallas kernel's. As the last
    value of a cell it is the program with the largest magnitude beside each edge, and a list of
    your lines, those with values that are not finite first. `print` gives the list, and `save`
    writes the numbers of this view to a file. With `lines`, it has all results of these lines, each
    with a curve over the iterations of its loop. The details of a part of the program have a button
    that runs it once more for the distributions of this part. For this it retains up to 16 MiB of
    the arguments. Everything else in it is strings and numbers.

    Attributes
    ----------
    program : Program
        The program that JAX made of the call.
    rows : tuple
        A `ValueStatistics` for each result of each eqn.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.sum(x * x))(jnp.array([3.0, 4.0]))
    >>> [(row["op"], row["largest"]) for row in found.records()]
    [('mul', 16.0), ('reduce_sum', 25.0)]
    """

    __slots__ = ("program", "record", "rows")

    _reads = StatisticsRecord

    def __init__(
        self, program: Shown, rows: tuple[ValueStatistics, ...], record: StatisticsRecord
    ) -> None:
        self.program = program
        self.rows = rows
        self.record = record

    @classmethod
    def _loaded(cls, program: Any, record: StatisticsRecord) -> Statistics[Any]:
        return cls(program, (*rows_of(program._stages.stage("jaxpr"), record.lines),), record)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        return values_text(self.program._stages.head.name, self.rows, self.record)

    __repr__ = __str__


def _measured(program: Program, again: Rerun, lines: Iterable[int] = ()) -> Statistics[Program]:
    rows = statistics_of(again, lines)
    shown = program._with_measurements(lambda stage: with_values(stage, rows), _Part(again))
    return Statistics(shown, rows, _record(again, rows))


def _record(again: Rerun, rows: Iterable[ValueStatistics]) -> StatisticsRecord:
    ran = worst_first(row for row in rows if row.ran)
    found = ran if any(row.distribution for row in ran) else first_of_lines(ran)
    return StatisticsRecord(
        lines=line_values(again.jaxpr, found[:MOST_LINES]),
        more=max(0, len(found) - MOST_LINES),
        left_out=[*again.left_out],
        run_again=again.run_again,
    )


class _Part:
    """Runs a program once more, for the distributions of some of its eqns."""

    def __init__(self, again: Rerun) -> None:
        self._run = RetainedRun(again)

    def __call__(self, eqns: Sequence[int]) -> PartValues:
        """Give their values. Raises ValueError, with a sentence, if they are unknown."""
        try:
            again = self._run.again()
            return part_values(again.jaxpr, distributions_of(again, eqns))
        except CaptureError as error:
            raise ValueError(sentence_of(error)) from None


def _part(stages: Stages, eqns: list[Any]) -> Job[Any]:
    part = stages.part
    if part is None:
        raise ValueError(sentence("nothing to ask"))
    return start_job(lambda: part([eqn for eqn in eqns if isinstance(eqn, int)]), "compiling")


QUESTIONS = {"values": Question(list, _part)}
"""The question of a page: `{values: [3, 4]}` for the distributions of the results of some eqns."""


def statistics(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    lines: int | Iterable[int] = (),
) -> Callable[..., Statistics[Program]]:
    """Measure the magnitudes of all values in a call, and count NaNs and infinities.

    The program of the call is compiled again, with a number for each result of each eqn, and runs
    once. If some results are not finite, it runs once more to count these elements. Your Python is
    traced as by `inspect`, and does not run a second time. Debug prints and callbacks are left out;
    a `pure_callback` runs. Values may differ from your own run in the last digits. On a CPU, a
    training step of 2,770 eqns took two to three times as long to compile, and two to four times as
    long to run.

    Only these numbers leave the device, to three digits. The largest magnitude of an array is that
    of one of its elements.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    lines : int or iterable of int, optional
        Lines of your code, by their numbers in its file or cell. Only their results are
        reported, each with its whole `Distribution`. This takes far longer to compile, so name
        only a few.

    Returns
    -------
    callable
        A function of the arguments of `fun`, which returns `Statistics`.

    Raises
    ------
    CaptureError
        When it is called: if the call cannot be traced, as in `inspect`; for programs with an
        `io_callback`, whose effect would happen once more; and if a line makes no floating-point
        numbers.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.statistics(lambda x: jnp.exp(x) - 1.0)(jnp.array([0.0, 100.0]))
    >>> [(row.op, row.largest, row.inf) for row in found.rows]
    [('exp', 1.0, 1), ('sub', 0.0, 1)]
    """
    named = (lines,) if isinstance(lines, int) else tuple(lines)
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Statistics[Program]:
        captured, again = rerun(fun, args, kwargs, statics)
        return _measured(Program(*captured), again, named)

    return call


def statistics_of_program(program: Program) -> Callable[..., Statistics[Program]]:
    """Run a captured program as `Program.statistics` does."""

    def call(*args: Any, **kwargs: Any) -> Statistics[Program]:
        return _measured(program, program._stages.rerun(args, kwargs))

    return call
