"""The steps of a trace, line by line: `jaxviz.steps`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.capture import Captured, CaptureError
from jaxviz.display import wire
from jaxviz.display.bundle import whole_bundle
from jaxviz.display.fit import fit
from jaxviz.display.outputs import job_at_rest
from jaxviz.display.page_requests import Question
from jaxviz.displayed import Report
from jaxviz.program import Program
from jaxviz.safety.background import Job
from jaxviz.sentences import sentence, sentence_of
from jaxviz.stages import Stages
from jaxviz.tools.steps.capture import stepped
from jaxviz.tools.steps.record import Steps as StepsRecord
from jaxviz.tools.steps.text import steps_text

STEPS_BYTES = 60_000
"""The most bytes of a trace's steps, as JSON."""
PROGRAM_BYTES = 4_000_000
"""The most bytes of a program with steps that a page requested, which no notebook stores."""


class Steps(Report):
    """The trace of a function: each line that ran, and its effect.

    As the last value of a cell it is the program with a player, forward and back; `print` gives the
    steps as text, and `save` writes them to a file. It is immutable, and contains only strings and
    numbers.

    Attributes
    ----------
    program : Program
        The program that JAX made of the call.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> def f(x):
    ...     size = x.shape[0]
    ...     return jnp.sin(x) * size
    >>> print(jaxviz.steps(f)(jnp.ones(3)))
    f: 3 steps, 2 eqns
      1  def f(x):                       x = f32[3] (traced)
      2      size = x.shape[0]           size = 3
      3      return jnp.sin(x) * size    + sin, mul
    """

    __slots__ = ("program", "record")

    _reads = StepsRecord

    def __init__(self, program: Program, record: StepsRecord) -> None:
        self.program = program
        self.record = record

    def records(self) -> list[dict[str, Any]]:
        """Give a row for each step, for `pandas.DataFrame`: kind, line, names, ops and prints."""
        return [
            {
                "kind": step.kind,
                "file": self.record.frames[step.frame].file,
                "line": self.record.frames[step.frame].line,
                "depth": step.depth,
                "bound": {one.name: one.text for one in step.bound},
                "traced": [one.name for one in step.bound if one.kind == "traced"],
                "eqns": step.eqns,
                "printed": step.printed,
            }
            for step in self.record.steps
        ]

    def __str__(self) -> str:
        return steps_text(self.program.record, self.record)

    __repr__ = __str__

    @classmethod
    def _loaded(cls, program: Program, record: StepsRecord) -> Steps:
        return cls(program, record)

    def _in_output(self) -> StepsRecord:
        return first_steps(self.record)

    def _bundle(self) -> dict[str, Any]:
        stages, opening = self.program._stages, self.program.opening
        return whole_bundle(stages, opening, self._in_output(), str(self))


def steps(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
) -> Callable[..., Steps]:
    """Trace a call line by line: `steps(fun)(*args)`.

    The function's Python runs once more for this, with traced values instead of arrays, as in any
    trace; nothing is computed. Printed text becomes a part of its step and is not printed. Other
    effects of the function stay. A called function that was jitted and traced before does not run,
    because JAX has its program, and its step says so. Generators run as a part of the line that
    uses them.

    Parameters
    ----------
    fun : callable
        A function of yours, jitted or not, or transformed, such as `jax.grad(f)`.
    static_argnums, static_argnames : optional
        As in `jax.jit`. A jitted function has its own static arguments.

    Returns
    -------
    callable
        A function of the arguments of `fun`, which returns the `Steps` of that call.

    Raises
    ------
    CaptureError
        When it is called: if the call cannot be traced, as in `inspect`.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.steps(lambda x: jnp.cos(x))(1.0)
    >>> [(step.kind, step.eqns) for step in found.record.steps]
    [('enter', []), ('return', [0])]
    """

    def call(*args: Any, **kwargs: Any) -> Steps:
        return stepped_program(fun, args, kwargs, static_argnums, static_argnames)

    return call


def stepped_program(
    fun: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static_argnums: Any = None,
    static_argnames: Any = None,
    receiver: str = "",
    opening: schema.Opening = schema.UNCHOSEN,
) -> Steps:
    """Trace one call for `steps`; `receiver` and `opening` are the same as in `inspected`."""
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}
    captured, record = stepped(fun, args, kwargs, statics, receiver)
    return Steps(Program(*captured, opening), record)


def first_steps(steps: StepsRecord) -> StepsRecord:
    """The first steps that fit in an output, with a note if some are omitted."""
    shown = steps
    while len(msgspec.json.encode(shown)) > STEPS_BYTES:
        shown = replace(shown, steps=shown.steps[: len(shown.steps) // 2])
    if shown is steps:
        return steps
    note = sentence("first steps", some=len(shown.steps), all=len(steps.steps))
    return replace(shown, notes=[*shown.notes, note])


def traced_again(stages: Stages) -> tuple[Captured, StepsRecord]:
    """Trace the call of a program once more, for its steps.

    Raises ValueError, with a sentence, if this fails.
    """
    if stages.again is None:
        raise ValueError(sentence("not retraceable"))
    call, receiver = stages.again()
    try:
        return stepped(*call, receiver)
    except CaptureError as error:
        raise ValueError(sentence_of(error)) from error


def _display(stages: Stages) -> schema.Display:
    (head, jaxpr, _), steps = traced_again(stages)
    record = Stages(head, None, jaxpr).shown
    whole, report = wire.encode(record), first_steps(steps)
    display = fit(record, whole, schema.UNCHOSEN, "", PROGRAM_BYTES, report=report)
    if display is None:
        raise ValueError(sentence("not retraceable"))
    return display


def _asked(stages: Stages, _: bool) -> Job[schema.Display]:
    return job_at_rest(partial(_display, stages))


QUESTIONS = {"steps": Question(bool, _asked)}
"""The question of a page: `{steps: true}` traces a program once more, line by line."""
