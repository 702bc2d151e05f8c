"""What `%jaxviz` returns for the options that run a call or its program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, argument_group

from jaxviz.capture import kind_of_jax_object
from jaxviz.capture.written_call import evaluate
from jaxviz.magics.call import parse, value_named
from jaxviz.magics.line import RUNS
from jaxviz.program import Program
from jaxviz.reports.births import Births
from jaxviz.reports.profile import AskedPeak, Profile, checked_peak
from jaxviz.reports.statistics import Statistics
from jaxviz.running.find_nan import find_nan
from jaxviz.running.profile import profile
from jaxviz.running.statistics import statistics
from jaxviz.running.timeit import Timings, timeit

Magic = TypeVar("Magic", bound=Callable[..., Any])
Told = Births[Program] | Statistics[Program] | Profile[Program] | Timings
_TELLS = {
    "--find-nan": find_nan,
    "--statistics": statistics,
    "--profile": profile,
    "--timeit": timeit,
}
_HELP = {
    "--find-nan": "Run the program of the call once, and return in which eqn the NaN of its result "
    "was born, and the first infinity. Debug prints and callbacks are left out; a pure_callback "
    "runs.",
    "--statistics": "Run it likewise, and return how large the values of each eqn are, and how "
    "many are NaN or infinite; twice where some are.",
    "--profile": "Run it up to twelve times, ten of them under JAX's profiler, and return what "
    "each line took. Debug prints and callbacks are left out; a pure_callback runs each time.",
    "--timeit": "Trace, lower and compile the call anew, then run the function for about a second "
    "with jit and op by op, up to 500 times each, and return what all of it took. What the "
    "function prints or changes it does each time.",
}


_PEAK = (
    "With --profile: what the machine does at most in a second, flops,bytes (2e12,1e11), or "
    "`measured` to measure it here first. What each instruction does is held against it."
)


def run_arguments(magic: Magic) -> Magic:
    """Give a magic the options that run the program of a call, as `@argument` does one."""
    magic = argument("--peak", help=_PEAK)(magic)
    for name in reversed(RUNS):
        magic = argument(name, action="store_true", help=_HELP[name])(magic)
    return argument_group("runs your program")(magic)


def asked_peak(text: str) -> AskedPeak:
    """What follows `--peak`. Raises UsageError where it is no peak."""
    if text == "measured":
        return "measured"
    try:
        flops, moved = map(float, text.split(","))
        checked_peak((flops, moved))
    except ValueError:
        raise UsageError(
            f"--peak takes flops and bytes in a second, or `measured`, not {text!r}: "
            "write --peak 2e12,1e11."
        ) from None
    return flops, moved


def told(
    run: str,
    call: str,
    how: dict[str, Any],
    user_ns: dict[str, Any],
    local_ns: dict[str, Any] | None,
) -> Told:
    """Run a call or its program, and give what that told. Raises UsageError for what is no call."""
    __tracebackhide__ = True
    if kind_of_jax_object(value_named(call, user_ns, local_ns)):
        raise UsageError(f"{run} runs a call, and `{call}` is none: write %jaxviz loss(…) {run}.")
    fun, args, kwargs = evaluate(parse(call), user_ns, local_ns)
    return _TELLS[run](fun, **how)(*args, **kwargs)
