"""What runs of a call took, at your lines: `jaxviz.profile`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from statistics import median
from typing import Any

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links import guessed
from jaxviz.capture.profiling import measured
from jaxviz.display.bundle import Beside, chosen, whole_bundle
from jaxviz.measures.measured import InstructionTime, LineTime, Measured, by_line, measured_text
from jaxviz.measures.stage_times import with_times
from jaxviz.program import Program
from jaxviz.schema.graph import first_eqns

MOST_LINES, MOST_OPS = 200, 5
"""How many lines an output has, and how many primitives of each."""


class Profile:
    """What the instructions of a compiled program took, by instruction and by line of yours.

    As the last value of a cell it is the program with a list of your lines, the longest first;
    `print` gives the list. It is immutable, and holds strings and numbers alone.

    Attributes
    ----------
    program : Program
        What JAX made of the call.
    rows : tuple
        The time of each instruction, on each device.
    lines : tuple
        The time of each line of yours, the longest first.
    wall : tuple
        Of each run, the seconds from the call until its results were there.
    inside : tuple
        Of these, the seconds from the first instruction's begin to the last one's end.
    between : tuple
        Of those, the seconds in which no instruction ran.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.tanh(x @ x), repeats=3)(jnp.ones((300, 300)))
    >>> found.lines[0].ops[0], min(found.wall) > min(found.inside)
    ('dot_general', True)
    """

    def __init__(self, program: Program, told: Measured) -> None:
        jaxpr = program.stage("jaxpr")
        self.program = program._timed(lambda stage: with_times(stage, told, jaxpr))
        self._told = told

    @property
    def rows(self) -> tuple[InstructionTime, ...]:
        return self._told.rows

    @cached_property
    def lines(self) -> tuple[LineTime, ...]:
        return by_line(self.rows)

    @property
    def wall(self) -> tuple[float, ...]:
        return self._told.wall

    @property
    def inside(self) -> tuple[float, ...]:
        return self._told.inside

    @property
    def between(self) -> tuple[float, ...]:
        return self._told.between

    @property
    def times(self) -> schema.Times:
        """The lines as a page shows them: a record."""
        return _times(self.program, self._told, self.lines)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each row, for `pandas.DataFrame`. Times are in seconds."""
        return [row.record() for row in self.rows]

    def __str__(self) -> str:
        return measured_text(self.program.name, self._told, self.lines)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        beside = Beside(str(self), times=self.times)
        bundle = whole_bundle(self.program._stages, self.program.opening, beside)
        return chosen(bundle, include, exclude)


def _times(program: Program, told: Measured, lines: tuple[LineTime, ...]) -> schema.Times:
    starts = first_eqns(program.stage("jaxpr").graphs)
    inside, between = told.fastest
    return schema.Times(
        lines=[
            schema.TimedLine(
                frame=line.frame and replace(line.frame, parent=None),
                eqn=-1 if line.graph < 0 else starts[line.graph] + line.eqn,
                ops=[*line.ops[:MOST_OPS]],
                seconds=line.seconds,
                share=line.share,
            )
            for line in lines[:MOST_LINES]
        ],
        more=max(0, len(lines) - MOST_LINES),
        runs=len(told.wall),
        best=min(told.wall),
        median=median(told.wall),
        inside=inside,
        between=between,
        left_out=[*told.left_out],
        run_again=told.run_again,
        in_cell=told.in_cell,
    )


def profile(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    repeats: int = 10,
) -> Callable[..., Profile]:
    """Measure what each instruction of a call's compiled program takes, and each line of yours.

    The program of the call is compiled anew with its eqns numbered, which changes no instruction,
    and runs twice, then `repeats` times under JAX's profiler: your Python is traced as by
    `inspect`, and does not run again. There are fewer runs where these take more than 10 seconds or
    200,000 instructions. Debug prints and callbacks are left out; a `pure_callback` runs each time.
    Arguments lie on devices as they are given; what the function's own jit was given besides
    (donation, shardings, compiler options) is left out.

    Loops count what their bodies take at the bodies' lines. XLA does not say of every instruction
    what it was made for: one that it inserted is told of the eqn that it stands beside. It
    was tried on CPUs alone.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    repeats : int, optional
        How often the program runs under the profiler, twice at least.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns a `Profile`.

    Raises
    ------
    ValueError
        If `repeats` is less than 2.
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does; for programs with an
        `io_callback`, whose effect would happen again; while something else profiles this process;
        and where JAX's profiler tells of no instruction.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.sum(jnp.sin(x)), repeats=2)(jnp.ones(1000))
    >>> sorted({part.op for row in found.rows for part in row.parts})
    ['reduce_sum', 'sin']
    """
    if not isinstance(repeats, int) or repeats < 2:
        raise ValueError(f"repeats is a number of runs from 2 on, not {repeats!r}.")
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Profile:
        captured, told = measured(fun, args, kwargs, statics, repeats, guessed)
        return Profile(Program(*captured), told)

    return call
