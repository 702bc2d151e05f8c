"""What runs of a call took, at your lines: `jaxviz.profile`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz.capture.profiling import measured
from jaxviz.capture.rerun import rerun
from jaxviz.program import Program
from jaxviz.reports.profile import AskedPeak, Profile, checked_peak, checked_repeats
from jaxviz.running.option import STATICS, Option, Value
from jaxviz.stages import finished


def profile(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    repeats: int = 10,
    peak: AskedPeak = None,
) -> Callable[..., Profile[Program]]:
    """Measure what each instruction of a call's compiled program takes, and each line of yours.

    The program of the call is compiled anew with its eqns numbered, which changes no instruction,
    and runs twice, then `repeats` times under JAX's profiler: your Python is traced as by
    `inspect`, and does not run again. There are fewer runs where these take more than 10 seconds or
    200,000 instructions; one that the profiler does not tell as a whole is not counted. Debug
    prints and callbacks are left out; a `pure_callback` runs each time. Arguments lie on
    devices as they are given; what the function's own jit was given besides (donation, shardings,
    compiler options) is left out.

    Loops count what their bodies take at the bodies' lines. XLA does not say of every instruction
    what it was made for: one that it inserted is told of the eqn that it stands beside.

    On a GPU the runs from call to result are others, without the profiler: the profiled ones launch
    each kernel by itself, since XLA's command buffers, which launch many at once, hide instructions
    from it. This was tried on CPUs, and on one NVIDIA H200 with JAX 0.11.2.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    repeats : int, optional
        How often the program runs under the profiler, twice at least.
    peak : (float, float) or "measured", optional
        What the machine does at most in a second, flops and bytes: the rates of instructions are
        held against it. "measured" measures it first, in a second or two: a product of f32
        matrices, and adding one to an f32 array that no cache holds. So what stands in caches may
        be above 100 % of it.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns a `Profile`.

    Raises
    ------
    ValueError
        If `repeats` is less than 2, and for a `peak` that is none.
    CaptureError
        When it is called, where the call cannot be traced, as `inspect` does; for programs with an
        `io_callback`, whose effect would happen again; while something else profiles this process;
        where the folder for temporary files has no room; and where JAX's profiler tells of no
        instruction.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.profile(lambda x: jnp.sum(jnp.sin(x)), repeats=2)(jnp.ones(1000))
    >>> sorted({part.op for row in found.rows for part in row.parts})
    ['reduce_sum', 'sin']
    """
    checked_repeats(repeats)
    most = checked_peak(peak)
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> Profile[Program]:
        captured, again = rerun(fun, args, kwargs, statics)
        return Profile(Program(*captured), measured(again, repeats, finished, most))

    return call


def profile_of_program(
    program: Program, repeats: int, peak: AskedPeak
) -> Callable[..., Profile[Program]]:
    """Measure a captured program as `Program.profile` does."""
    checked_repeats(repeats)
    most = checked_peak(peak)

    def call(*args: Any, **kwargs: Any) -> Profile[Program]:
        again = program._stages.rerun(args, kwargs)
        return Profile(program, measured(again, repeats, finished, most))

    return call


def _peak(text: str) -> AskedPeak:
    if text == "measured":
        return "measured"
    flops, moved = map(float, text.split(","))
    checked_peak((flops, moved))
    return flops, moved


PEAK = Option(
    name="--peak",
    help="With --profile: what the machine does at most in a second, flops,bytes (2e12,1e11), or "
    "`measured` to measure it here. Each instruction is compared with it.",
    value=Value(
        "flops and bytes in a second, or `measured`", "2e12,1e11", _peak, words=("measured",)
    ),
)
OPTION = Option(
    name="--profile",
    help="Run the program of the call up to twelve times (on a GPU twice as often), ten of them "
    "under JAX's profiler, and return how long each line and each instruction took. Debug prints "
    "and callbacks are left out; a pure_callback runs each time.",
    python="jaxviz.profile(f)(x)",
    run=profile,
    arguments=(*STATICS, PEAK),
)
