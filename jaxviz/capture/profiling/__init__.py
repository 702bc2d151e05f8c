"""Measures what each instruction of a call's program takes: the program is compiled anew with its
eqns numbered, and runs some times under JAX's profiler (`sessions.py`). What ran side by side is
divided (`own_time.py`), and each instruction leads to its eqns (`shares.py`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
from jax.extend.core import jaxpr_as_fun

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.clone import cloned
from jaxviz.capture.profiling.measured_rows import rows_of
from jaxviz.capture.profiling.own_time import span
from jaxviz.capture.profiling.peak import measured_peak
from jaxviz.capture.profiling.sessions import profiled_runs, timed_runs
from jaxviz.capture.profiling.shares import Shares
from jaxviz.capture.profiling.turns import loops_of
from jaxviz.capture.rerun import Rerun
from jaxviz.capture.rerun.interpreter import LEFT_OUT
from jaxviz.capture.rerun.own_run import own_run
from jaxviz.capture.stages.hlo import hlo_stage
from jaxviz.capture.stages.hlo.executable import executable_of
from jaxviz.capture.stages.refusal import could_end_the_kernel, would_never_end
from jaxviz.measures.measured import Measured
from jaxviz.schema import Peak, Stage

_WARM_UPS = 2


def measured(
    again: Rerun,
    repeats: int,
    finish: Callable[[Stage, Stage], Stage],
    peak: Peak | Literal["measured"] | None = None,
) -> Measured:
    """What so many runs of a program took. `finish` adds to optimized HLO what follows from the
    records alone: links that XLA does not write, and costs.

    Raises `CaptureError` for programs whose compilation could end the kernel, and where nothing can
    be measured."""
    jaxpr = again.jaxpr
    danger = would_never_end(jaxpr) or could_end_the_kernel(jaxpr)
    if danger is not None:
        raise CaptureError(danger)
    with own_run(again.later.settings):
        made = _made(again, jaxpr)
        for _ in range(_WARM_UPS):
            jax.block_until_ready([run() for run in (made.run, made.beside) if run])
        beside = timed_runs(made.beside, repeats) if made.beside else None
        runs = profiled_runs(made.run, _MODULE, made.devices, repeats)
        most = measured_peak() if peak == "measured" else peak
    if not all(run.intervals for run in runs):
        raise CaptureError(
            f"JAX's profiler tells of no instruction of this program on {jax.default_backend()}."
        )
    hlo = finish(made.hlo, jaxpr)
    shares = Shares(hlo, jaxpr)
    rows = tuple(rows_of(runs, shares))
    wall = tuple(beside or (run.wall for run in runs))
    spans = [span(run.intervals) for run in runs]
    inside, between = tuple(one.seconds for one in spans), tuple(one.between for one in spans)
    left_out, run_again = again.left_out, again.run_again
    told = Measured(rows, wall, inside, between, left_out, run_again, hlo=hlo, peak=most)
    buffers = "off" if made.beside else ""
    return told._replace(loops=tuple(loops_of(runs, shares)), buffers=buffers)


class _Made(NamedTuple):
    run: Callable[[], Any]
    hlo: Stage
    devices: list[int]
    beside: Callable[[], Any] | None
    """The program as XLA makes it by itself, where `run` is another."""


_MODULE = "jit_jaxviz_profiled"
"""What XLA calls the module of a function `jaxviz_profiled`."""
_WITHOUT_BUFFERS: dict[str, str | bool] = {"xla_gpu_enable_command_buffer": ""}


def _made(again: Rerun, jaxpr: Stage) -> _Made:
    """The program, compiled, with its instructions named after their eqns. On GPUs it launches each
    kernel by itself: within command buffers the profiler does not tell which instruction each is
    of (https://github.com/openxla/xprof/issues/3070)."""
    clone = cloned(again.closed, left_out=LEFT_OUT)

    def jaxviz_profiled(*flat: Any) -> Any:
        return jaxpr_as_fun(clone.closed)(*flat)

    lowered = jax.jit(jaxviz_profiled).lower(*again.flat)
    plain = compiled = lowered.compile()
    shardings = jax.tree_util.tree_leaves(plain.output_shardings)
    devices = {device for one in shardings for device in one.device_set}
    on_gpus = any(device.platform == "gpu" for device in devices)
    if on_gpus:
        compiled = lowered.compile(_WITHOUT_BUFFERS)
    return _Made(
        run=lambda: compiled(*again.flat),
        hlo=hlo_stage(executable_of(compiled), jaxpr, clone.token, None, []),
        devices=[*{device.local_hardware_id for device in devices}],
        beside=(lambda: plain(*again.flat)) if on_gpus else None,
    )
