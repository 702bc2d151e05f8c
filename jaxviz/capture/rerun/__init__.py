"""Runs the program of a call once more, for tools that read its values: `interpreter.py` evaluates
its jaxpr, and hands each value to a reader. The user's Python does not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr

from jaxviz.capture.artifacts.jax_objects import LaterStages
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.constants import ConstantGoneError
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.rerun.interpreter import LEFT_OUT
from jaxviz.capture.rerun.own_run import own_run
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.stages.lowering import Later
from jaxviz.capture.stages.taken_arguments import CAPTURE_A_FUNCTION
from jaxviz.capture.tracing.trace import Captured, captured_call, traced_call
from jaxviz.schema import Program, Stage

_REFUSED = {"io_callback": "io_callback, whose effect would happen once more"}


class Rerun(NamedTuple):
    """A program that may be run once more, and its inputs."""

    program: Program
    """With its first stage."""
    closed: ClosedJaxpr
    flat: list[Any]
    """The program's inputs."""
    later: Later
    """The source of its later stages."""

    @property
    def jaxpr(self) -> Stage:
        return self.program.stages[0]

    @property
    def jaxprs(self) -> list[Jaxpr]:
        """Its jaxprs, in the order of the stage's graphs."""
        return walk(self.closed.jaxpr).jaxprs

    @property
    def ops(self) -> set[str]:
        return {eqn.op for graph in self.jaxpr.graphs for eqn in graph.eqns}

    @property
    def left_out(self) -> tuple[str, ...]:
        """The debug prints and callbacks of the program, which are not repeated."""
        return tuple(sorted(self.ops & LEFT_OUT))

    @property
    def run_again(self) -> bool:
        """True if it has a `pure_callback`, which runs again."""
        return "pure_callback" in self.ops

    def of(self, run: Callable[..., Any]) -> Any:
        """The results of a function of the program's inputs, under a jit of our own."""
        with own_run(self.later.settings):
            return jax.device_get(jax.jit(run)(*self.flat))


def effects(report: Any) -> list[str]:
    """The `left_out` and `run_again` of a report, in sentences."""
    names = ", ".join(report.left_out)
    again = ["pure_callback ran again."] if report.run_again else []
    return [*([f"Not repeated: {names}."] if names else []), *again]


def rerun(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any]
) -> tuple[Captured, Rerun]:
    """Traces a call. Raises `CaptureError` as `capture` does, and where the program may not run
    once more."""
    call = traced_call(fun, args, kwargs, **statics)
    captured = captured_call(call)
    program, later = captured.program, captured.later
    given = later.takes.fitted(call.args, call.kwargs)
    flat = jax.tree_util.tree_leaves((given.args, given.kwargs))
    again = Rerun(program, call.traced.jaxpr, flat, later)
    _refuse(again)
    stage = again.jaxpr
    return captured._replace(jaxpr=lambda: stage), again


def rerun_program(
    program: Program, later: LaterStages | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Rerun:
    """A program that was captured before, with arguments like those that it was captured with.
    Raises `CaptureError`, with the fix, if it cannot run with them."""
    if not isinstance(later, Later):
        raise CaptureError(_CANNOT_RUN)
    flat = later.takes.inputs(args, kwargs)
    try:
        again = Rerun(program, later.closed(), flat, later)
    except ConstantGoneError as error:
        raise CaptureError(str(error)) from None
    _refuse(again)
    return again


def _refuse(again: Rerun) -> None:
    """Raises `CaptureError` where a program may not run, or not with these inputs."""
    for op, reason in _REFUSED.items():
        if op in again.ops:
            raise CaptureError(f"the program would run once more, and it has {reason}.")
    if len(again.flat) != len(again.program.args):
        raise CaptureError(
            "these are other arguments than those of the call that was captured, or it cannot be "
            f"told which of the program's inputs they are: it has {len(again.program.args)}, and "
            f"here are {len(again.flat)}."
        )
    for leaf, value, aval in zip(
        again.program.args, again.flat, again.closed.in_avals, strict=True
    ):
        if is_a(value, jax.ShapeDtypeStruct):
            raise CaptureError(
                f"the program would run, and {leaf.path} is a ShapeDtypeStruct, which has no "
                "values: give an array."
            )
        given: Any = jax.typeof(value)
        if (given.shape, given.dtype) != (aval.shape, aval.dtype):
            text = given.str_short(short_dtypes=True)
            raise CaptureError(
                f"{leaf.path} is {leaf.aval.text} in this program, and here it is {text}: "
                "capture the call with that."
            )


_CANNOT_RUN = (
    "what this program was made of is not there to be run: it was loaded, is of a log or of what "
    "JAX had made already, or all that can be told of it was made, after which nothing is kept: "
    f"{CAPTURE_A_FUNCTION}"
)
