"""Times a call: its trace, its lowering, its compilation, and runs with and without jit.

The user's function runs for real, many times. The timed function is a new `jax.jit`, so that no
cache has its program, and no argument is donated. The call is captured before the clock starts,
which traces jitted functions within it. So the trace time is that of the function's own body.
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
from jaxviz.capture.tracing.trace import (
    Captured,
    TracedCall,
    captured_call,
    traced_call,
    unreported_traces,
)
from jaxviz.schema import count_eqns
from jaxviz.tools.timeit.record import Spread, Timing

FEWEST, MOST = 5, 500
"""The least and the most runs of each kind."""


class _Runners(NamedTuple):
    """The runs of one call, with and without jit."""

    jitted: Callable[[], Any]
    eager: Callable[[], Any] | None
    """None if the function fails without jit."""


def timed(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    statics: dict[str, Any],
    seconds: float,
    size: int | None = None,
) -> tuple[Timing, Captured]:
    """The times of a call, and its program. Runs end after `seconds`, but there are at least
    `FEWEST` of each kind.

    Raises `CaptureError` as `capture` does, and the exceptions of the function itself.
    """
    _refuse_libraries(fun, args, kwargs)
    call = traced_call(fun, args, kwargs, **statics)
    captured = captured_call(call)
    program = captured.program
    fitted = captured.later.takes.fitted(call.args, call.kwargs)
    jitted, args, kwargs = jax.jit(closing_over(call.called)), fitted.args, fitted.kwargs
    with unreported_traces():
        traced, trace = _measured(lambda: jitted.trace(*args, **kwargs))
        lowered, lower = _measured(traced.lower)
        _, compiled = _measured(lowered.compile)
        runners = _Runners(lambda: jitted(*args, **kwargs), _eager(call))
        _, first = _measured(runners.jitted)
        runs = _runs(runners, seconds)
    graphs = program.stages[0].graphs
    timing = Timing(
        function=program.name,
        size=size,
        eqns=count_eqns(graphs, graphs[0].eqns),
        trace=trace,
        lower=lower,
        compile=compiled,
        first_run=first,
        jitted=runs[0],
        eager=runs[1],
    )
    return timing, captured


def _refuse_libraries(fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises `CaptureError` for a function that `jax.jit` alone cannot run like the user's code."""
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
    """True for a module, an optimizer or a metric of Flax NNX, recognised by the name of its base
    (`Object` up to Flax 0.11, then `Pytree`)."""
    return has_base(type(value), "flax.nnx", ("Object", "Pytree"))


def _eager(call: TracedCall) -> Callable[[], Any]:
    called = call.called
    fun = called.fun if called.library == "jax" else called.unjitted
    return lambda: fun(*call.args, **call.kwargs)


def _measured(run: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a call, and the seconds until all of it is available."""
    start = perf_counter()
    result = jax.block_until_ready(run())
    return result, perf_counter() - start


def _runs(runners: _Runners, seconds: float) -> tuple[Spread, Spread | None]:
    """The times of both kinds of runs, alternating, so that other load on the machine affects both.
    The first run op by op compiles each op, and is not counted."""
    try:
        jax.block_until_ready(runners.eager and runners.eager())
    except Exception:
        runners = runners._replace(eager=None)
    found: list[list[float]] = [[] for _ in runners]
    with _no_garbage_collection():
        end = perf_counter() + seconds
        while len(found[0]) < FEWEST or (len(found[0]) < MOST and perf_counter() < end):
            for times, run in zip(found, runners, strict=True):
                if run is not None:
                    times.append(_measured(run)[1])
    jitted, eager = found
    return spread(jitted), spread(eager) if eager else None


def spread(runs: Sequence[float]) -> Spread:
    """The spread of at least two runs."""
    low, median, high = statistics.quantiles(runs, n=4, method="inclusive")
    return Spread(low=low, median=median, high=high, runs=len(runs))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disables Python's garbage collection, as its own `timeit` does."""
    if not gc.isenabled():
        yield
        return
    with changed(gc.disable, gc.enable):
        yield
