"""Runs the program of a call once more, to see what its values are: `interpreter.py` evaluates its
jaxpr. The user's Python does not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.errors import CaptureError
from jaxviz.capture.rerun.interpreter import LEFT_OUT
from jaxviz.capture.stopwatch import refitted
from jaxviz.capture.trace import Captured, captured_call, traced_call, unreported_traces
from jaxviz.schema import Program

_REFUSED = {"io_callback": "io_callback, whose effect would happen once more"}


class Rerun(NamedTuple):
    """A call that may be run once more."""

    captured: Captured
    program: Program
    """What was captured, with its first stage."""
    closed: ClosedJaxpr
    flat: list[Any]
    """The program's inputs."""
    left_out: tuple[str, ...]
    """The debug prints and callbacks of the program, which are not repeated."""
    run_again: bool
    """Whether it has a `pure_callback`, which runs again."""

    def of(self, run: Callable[..., Any]) -> Any:
        """What a function of the program's inputs gives under a jit of our own."""
        with unreported_traces(), jax.debug_nans(False), jax.debug_infs(False):
            return jax.device_get(jax.jit(run)(*self.flat))


def rerun(
    fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any]
) -> Rerun:
    """Traces a call. Raises `CaptureError` as `capture` does, and where the program may not run
    once more."""
    call = traced_call(fun, args, kwargs, **statics)
    captured = captured_call(call)
    program = captured.program
    closed: ClosedJaxpr = call.traced.jaxpr
    given = refitted(call, {fixed.path for fixed in program.fixed})
    flat = jax.tree_util.tree_leaves((given.args, given.kwargs))
    ops = {eqn.op for graph in program.stages[0].graphs for eqn in graph.eqns}
    for op, reason in _REFUSED.items():
        if op in ops:
            raise CaptureError(f"the program would run once more, and it has {reason}.")
    if len(flat) != len(closed.jaxpr.invars):
        raise CaptureError("it cannot be told which arrays the program's inputs are.")
    for path, value in zip(program.stages[0].graphs[0].args, flat, strict=True):
        if isinstance(value, jax.ShapeDtypeStruct):
            raise CaptureError(
                f"the program would run, and {path} is a ShapeDtypeStruct, which has no values: "
                "give an array."
            )
    left_out = tuple(sorted(ops & LEFT_OUT))
    return Rerun(captured, program, closed, flat, left_out, "pure_callback" in ops)
