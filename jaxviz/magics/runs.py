"""What `%jaxviz` returns for the options that run the program of a call."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError

from jaxviz.births import Births
from jaxviz.capture import kind_of_jax_object
from jaxviz.find_nan import find_nan
from jaxviz.magics.call import evaluate, parse, value_named
from jaxviz.profile import Profile, profile
from jaxviz.statistics import Statistics, statistics

_TELLS = {"--find-nan": find_nan, "--statistics": statistics, "--profile": profile}


def told(
    run: str,
    call: str,
    static_argnames: tuple[str, ...] | None,
    user_ns: dict[str, Any],
    local_ns: dict[str, Any] | None,
) -> Births | Statistics | Profile:
    """Run the program of a call, and give what that told. Raises UsageError for what is no call."""
    __tracebackhide__ = True
    if kind_of_jax_object(value_named(call, user_ns, local_ns)):
        raise UsageError(f"{run} runs a call, and `{call}` is none: write %jaxviz loss(…) {run}.")
    fun, args, kwargs = evaluate(parse(call), user_ns, local_ns)
    return _TELLS[run](fun, static_argnames=static_argnames)(*args, **kwargs)
