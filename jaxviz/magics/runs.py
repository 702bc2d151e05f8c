"""What `%jaxviz` returns for the options that run a call or its program."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, argument_group

from jaxviz.capture import kind_of_jax_object
from jaxviz.capture.calls.written_call import evaluate
from jaxviz.magics.call import parse, value_named
from jaxviz.magics.line import EXAMPLES, PEAK, RUNS, asked_peak, static_names
from jaxviz.program import Program
from jaxviz.reports.births import Births
from jaxviz.reports.profile import Profile
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
    "--profile": "Run it up to twelve times (on a GPU twice as often), ten of them under JAX's "
    "profiler, and return what each line took. Debug prints and callbacks are left out; a "
    "pure_callback runs each time.",
    "--timeit": "Trace, lower and compile the call anew, then run the function for about a second "
    "with jit and op by op, up to 500 times each, and return what all of it took. What the "
    "function prints or changes it does each time.",
}
_LINES = (
    "With --statistics: lines of yours, by their numbers in the cell or file, of which all is "
    "told: mean, deviation, exponents, and the largest in each turn of a loop."
)


def run_arguments(magic: Magic) -> Magic:
    """Give a magic the options that run the program of a call, as `@argument` does one."""
    magic = argument("--lines", help=_LINES)(argument("--peak", help=PEAK)(magic))
    for name in reversed(RUNS):
        magic = argument(name, action="store_true", help=_HELP[name])(magic)
    return argument_group("runs your program")(magic)


def how_of(options: Namespace) -> dict[str, Any]:
    """What is asked of a run besides its call. Raises UsageError for a wrong value."""
    how: dict[str, Any] = {"static_argnames": static_names(options.static_argnames)}
    if options.peak is not None:
        how["peak"] = asked_peak(options.peak)
    if options.lines is not None:
        how["lines"] = _asked_lines(options.lines)
    return how


def _asked_lines(text: str) -> list[int]:
    """What follows `--lines`. Raises UsageError where these are no lines."""
    numbers = text.split(",")
    if not all(number.isdecimal() for number in numbers):
        raise UsageError(
            f"--lines takes numbers of lines, not {text!r}: write --lines {EXAMPLES['--lines']}."
        )
    return [*map(int, numbers)]


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
