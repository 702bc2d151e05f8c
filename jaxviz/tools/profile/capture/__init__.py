"""Measures the time of each instruction of a call's program. The program is compiled anew with its
eqns numbered, and runs several times under JAX's profiler (`sessions.py`). The time of parallel
instructions is divided (`instruction_times.py`), and each instruction is linked to its eqns
(`shares.py`).

A cell is profiled as it runs (`cell_session.py`): `cell_runs.py` finds its programs and their eqns.
`profiler_events.py` reads the files of JAX's profiler.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import jaxpr_as_fun

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.clone import cloned
from jaxviz.capture.rerun import Rerun, own_run
from jaxviz.capture.rerun.interpreter import LEFT_OUT
from jaxviz.capture.stages.hlo import hlo_stage
from jaxviz.capture.stages.hlo.executable import executable_of
from jaxviz.capture.stages.refusal import could_end_the_kernel, would_never_end
from jaxviz.schema import Peak, Stage
from jaxviz.tools.profile.capture.instruction_times import Measured, measurements
from jaxviz.tools.profile.capture.sessions import profiled_runs, timed_runs
from jaxviz.tools.profile.capture.shares import Shares

_WARM_UPS = 2


def measured(
    again: Rerun,
    repeats: int,
    finish: Callable[[Stage, Stage], Stage],
    peak: Peak | Literal["measured"] | None = None,
) -> Measured:
    """The times of `repeats` runs of a program. `finish` adds facts that follow from the records to
    optimized HLO: links that XLA does not write, and costs.

    Raises `CaptureError` for programs whose compilation could end the kernel, and if nothing can be
    measured.
    """
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
    wall = beside or [run.wall for run in runs]
    found = measurements(runs, wall, Shares(hlo, jaxpr), most)
    buffers = "off" if made.beside else ""
    return Measured(found, hlo, again.left_out, again.run_again, buffers=buffers)


class _Made(NamedTuple):
    run: Callable[[], Any]
    hlo: Stage
    devices: list[int]
    beside: Callable[[], Any] | None
    """The program as XLA makes it by default, if `run` is another one."""


_MODULE = "jit_jaxviz_profiled"
"""XLA's name for the module of a function `jaxviz_profiled`."""
_WITHOUT_BUFFERS: dict[str, str | bool] = {"xla_gpu_enable_command_buffer": ""}


def _made(again: Rerun, jaxpr: Stage) -> _Made:
    """The program, compiled, with its instructions named after their eqns. On GPUs it launches each
    kernel separately: within command buffers the profiler does not report the instruction of a
    kernel (https://github.com/openxla/xprof/issues/3070)."""
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


_FEWEST, _MOST, _SECONDS = 3, 20, 0.5
"""The least and the most runs of each measurement, and the seconds after which no further run
begins."""
_IN_A_ROW = 10
"""The number of consecutive runs in one measurement on other devices than CPUs. A call and the
notice of its end take a tenth of a millisecond."""


def measured_peak() -> Peak:
    """The flops per second of a matrix product, and the bytes per second that adding one to an
    array in place reads and writes, too large for caches; both in f32 and on the default device.
    The fastest of several runs counts."""
    size, length = (2048, 1 << 24) if jax.default_backend() == "cpu" else (8192, 1 << 28)
    square = jnp.full((size, size), 1 / size, jnp.float32)
    line = jnp.ones(length, jnp.float32)
    with own_run({}):
        multiply = jax.jit(jnp.matmul)
        product = _fastest(lambda x: multiply(x, square), square)
        added = _fastest(jax.jit(lambda x: x + 1, donate_argnums=0), line)
    flops, moved = round(2 * size**3 / product), round(2 * 4 * length / added)
    return Peak(flops=flops, bytes=moved, measured=True)


def _fastest(run: Callable[[Any], Any], value: Any) -> float:
    """The seconds of the fastest run. Each run takes the result of the one before."""
    value = jax.block_until_ready(run(value))
    row = 1 if jax.default_backend() == "cpu" else _IN_A_ROW
    times: list[float] = []
    while len(times) < _FEWEST or (len(times) < _MOST and sum(times) < _SECONDS):
        start = time.perf_counter()
        for _ in range(row):
            value = run(value)
        jax.block_until_ready(value)
        times.append(time.perf_counter() - start)
    return min(times) / row
