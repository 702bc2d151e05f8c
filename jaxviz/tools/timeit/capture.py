"""Times a call: its trace, its lowering, its compilation, and runs with and without jit.

The user's function runs for real, many times. A `jax.jit` of our own is timed, so that no cache has
its program, and no argument is donated. The call is captured before the clock starts, which traces
jitted functions within it: what is timed is the trace of the function's own body.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import jax

from jaxviz.capture.calls.called_function import argument_names, signature_of
from jaxviz.capture.calls.fixed_arguments import closing_over
from jaxviz.capture.changes import changed
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.shown.objects import has_attribute, has_base
from jaxviz.capture.stages.taken_arguments import TakenArguments
from jaxviz.capture.tracing.trace import (
    Captured,
    TracedCall,
    captured_call,
    traced_call,
    unreported_traces,
)
from jaxviz.schema import eqns_held
from jaxviz.tools.timeit.record import Spread, Timing

FEWEST, MOST = 5, 500
"""How often each way is run."""


class _Ways(NamedTuple):
    """The two ways of one call."""

    jitted: Callable[[], Any]
    eager: Callable[[], Any] | None
    """None where the function fails without jit."""


def timed(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    statics: dict[str, Any],
    seconds: float,
    size: int | None = None,
) -> tuple[Timing, Captured]:
    """What a call takes, and its program. Runs end after `seconds`, but there are `FEWEST` at least
    of each way.

    Raises `CaptureError` as `capture` does, and what the function itself raises when it runs.
    """
    _refuse_libraries(fun, args, kwargs)
    call = traced_call(fun, args, kwargs, **statics)
    captured = captured_call(call)
    program = captured.program
    jitted, given, named = _anew(call, captured.later.takes)
    with unreported_traces():
        traced, trace = _took(lambda: jitted.trace(*given, **named))
        lowered, lower = _took(traced.lower)
        _, compiled = _took(lowered.compile)
        ways = _Ways(lambda: jitted(*given, **named), _eager(call))
        _, first = _took(ways.jitted)
        runs = _runs(ways, seconds)
    graphs = program.stages[0].graphs
    timing = Timing(
        function=program.name,
        size=size,
        eqns=eqns_held(graphs, graphs[0].eqns),
        trace=trace,
        lower=lower,
        compile=compiled,
        first_run=first,
        jitted=runs[0],
        eager=runs[1],
    )
    return timing, captured


def _refuse_libraries(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises `CaptureError` for what `jax.jit` alone cannot run as the user's code does."""
    if callable(fun) and has_attribute(fun, "lower") and not has_attribute(fun, "clear_cache"):
        raise CaptureError(
            "timeit times a function under jax.jit, and this one is wrapped by another library: "
            "give it the function inside."
        )
    names = argument_names(signature_of(fun), args, kwargs)
    for name, value in zip(names, [*args, *kwargs.values()], strict=True):
        if any(map(_is_nnx, jax.tree_util.tree_leaves(value, is_leaf=_is_nnx))):
            raise CaptureError(
                f"the argument {name} holds a Flax NNX module, whose state each run would change: "
                "time a function of the state that flax.nnx.split gives."
            )


def _is_nnx(value: Any) -> bool:
    """Whether it is a module, an optimizer or a metric of Flax NNX, told by the name of its base
    (`Object` up to Flax 0.11, `Pytree` from then on)."""
    return has_base(type(value), "flax.nnx", ("Object", "Pytree"))


def _anew(call: TracedCall, takes: TakenArguments) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The function of the call in a jit that nothing was traced with, and its arguments. Those that
    are fixed are closed over."""
    given, called = takes.fitted(call.args, call.kwargs), call.called
    return jax.jit(closing_over(called)), given.args, given.kwargs


def _eager(call: TracedCall) -> Callable[[], Any]:
    called = call.called
    fun = called.fun if called.library == "jax" else called.unjitted
    return lambda: fun(*call.args, **call.kwargs)


def _took(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and the seconds until all of it is there."""
    start = perf_counter()
    result = jax.block_until_ready(run())
    return result, perf_counter() - start


def _runs(ways: _Ways, seconds: float) -> tuple[Spread, Spread | None]:
    """Both ways in turn, so that what else the machine does meanwhile meets both. The first run op
    by op compiles each op, and is not counted."""
    try:
        jax.block_until_ready(ways.eager and ways.eager())
    except Exception:
        ways = ways._replace(eager=None)
    found: list[list[float]] = [[] for _ in ways]
    with _no_garbage_collection():
        end = perf_counter() + seconds
        while len(found[0]) < FEWEST or (len(found[0]) < MOST and perf_counter() < end):
            for runs, way in zip(found, ways, strict=True):
                if way is not None:
                    runs.append(_took(way)[1])
    jitted, eager = found
    return spread(jitted), spread(eager) if eager else None


def spread(runs: Sequence[float]) -> Spread:
    """The spread of two runs or more."""
    low, median, high = statistics.quantiles(runs, n=4, method="inclusive")
    return Spread(low=low, median=median, high=high, runs=len(runs))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Python collects no garbage meanwhile, as in `timeit` of its own."""
    if not gc.isenabled():
        yield
        return
    with changed(gc.disable, gc.enable):
        yield
