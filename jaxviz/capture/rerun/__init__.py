"""Runs the program of a call once more, for tools that read its values. `interpreter.py` evaluates
its jaxpr and passes each value to a reader. The user's Python does not run.

A run of ours changes no state of the user (`own_run`). `RetainedRun` can repeat a run later with
the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr

from jaxviz.capture._hooks import restored_thread_hook
from jaxviz.capture._jax import NO_CACHE, as_configured
from jaxviz.capture.artifacts.jax_objects import LaterStages
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.constants import (
    RETAINED_BYTES,
    ConstantGoneError,
    WeakConstant,
    largest,
    size_of,
)
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.rerun.interpreter import LEFT_OUT
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.stages.lowering import Later
from jaxviz.capture.stages.taken_arguments import CAPTURE_A_FUNCTION
from jaxviz.capture.tracing.trace import Captured, captured_call, traced_call, unreported_traces
from jaxviz.schema import Program, Stage
from jaxviz.sentences import sentence

_REFUSED = {"io_callback": "io_callback, whose effect would happen once more"}


@contextmanager
def own_run(settings: dict[str, Any]) -> Iterator[None]:
    """Within this context programs are traced and run with these settings of JAX. Their traces are
    no events, the persistent cache stores none of them, and neither NaN nor infinity is an
    error."""
    with (
        unreported_traces(),
        as_configured({**settings, **NO_CACHE}),
        restored_thread_hook(),
        jax.debug_nans(False),
        jax.debug_infs(False),
    ):
        yield


class Rerun(NamedTuple):
    """A program that may run once more, and its inputs."""

    program: Program
    """The program, with its first stage."""
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
        """True if the program has a `pure_callback`, which runs again."""
        return "pure_callback" in self.ops

    def of(self, run: Callable[..., Any]) -> Any:
        """The results of a function of the program's inputs, under our own jit."""
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
    """Traces a call. Raises `CaptureError` as `capture` does, and if the program may not run once
    more."""
    call = traced_call(fun, args, kwargs, **statics)
    captured = captured_call(call)
    program, later = captured.program, captured.later
    traceable = later.takes.fitted(call.args, call.kwargs)
    flat = jax.tree_util.tree_leaves((traceable.args, traceable.kwargs))
    again = Rerun(program, call.traced.jaxpr, flat, later)
    _refuse(again)
    stage = again.jaxpr
    return captured._replace(jaxpr=lambda: stage), again


def rerun_program(
    program: Program, later: LaterStages | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Rerun:
    """The run of a program that was captured before, with arguments of the same types. Raises
    `CaptureError`, with the fix, if it cannot run with them."""
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
    """Raises `CaptureError` if a program may not run, or not with these inputs."""
    for op, reason in _REFUSED.items():
        if op in again.ops:
            raise CaptureError(f"the program would run once more, and it has {reason}.")
    if len(again.flat) != len(again.program.args):
        raise CaptureError(
            "these are other arguments than those of the call that was captured, or they do not "
            f"match the program's inputs: it has {len(again.program.args)}, and here are "
            f"{len(again.flat)}."
        )
    for leaf, value, aval in zip(
        again.program.args, again.flat, again.closed.in_avals, strict=True
    ):
        if is_a(value, jax.ShapeDtypeStruct):
            raise CaptureError(
                f"the program would run, and {leaf.path} is a ShapeDtypeStruct, which has no "
                "values: give an array."
            )
        own_type: Any = jax.typeof(value)
        if (own_type.shape, own_type.dtype) != (aval.shape, aval.dtype):
            text = own_type.str_short(short_dtypes=True)
            raise CaptureError(
                f"{leaf.path} is {leaf.aval.text} in this program, and here it is {text}: "
                "capture the call with that."
            )


class RetainedRun:
    """A run that retains its inputs up to a limit of bytes, the smallest first. It has weak
    references to larger JAX arrays. Larger NumPy arrays, which may change meanwhile, are not
    retained."""

    def __init__(self, again: Rerun) -> None:
        self._program, self._later = again.program, again.later
        large = {*largest({at: size_of(value) for at, value in enumerate(again.flat)})}
        self._inputs = [_retained(value, at in large) for at, value in enumerate(again.flat)]

    def again(self) -> Rerun:
        """The run with the same inputs. Raises `CaptureError` if an input is gone."""
        try:
            inputs = [*map(_restored, self._inputs)]
            return Rerun(self._program, self._later.closed(), inputs, self._later)
        except ConstantGoneError:
            raise CaptureError(sentence("inputs gone", most=RETAINED_BYTES >> 20)) from None


def _retained(value: Any, is_large: bool) -> Any:
    if is_large:
        return WeakConstant(value, size_of(value)) if is_a(value, jax.Array) else None
    return value.copy() if is_a(value, np.ndarray) else value


def _restored(retained: Any) -> Any:
    value = retained.value() if isinstance(retained, WeakConstant) else retained
    if value is None or (is_a(value, jax.Array) and value.is_deleted()):
        raise CaptureError(sentence("inputs gone", most=RETAINED_BYTES >> 20))
    return value


_CANNOT_RUN = (
    "this program cannot run: it was loaded, is of a log or of an object that JAX had made "
    "already, or all of its stages were made, after which its jaxpr is not kept: "
    f"{CAPTURE_A_FUNCTION}"
)
