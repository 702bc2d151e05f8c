"""Reads private names of JAX that tell about its own functions and about traced values. Each name
has the versions that it was seen on, and a fallback."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from jax.core import Tracer
from jax.numpy import ufunc

from jaxviz.capture._jax import JAX_FOLDER


def is_written_in_jax(fun: Any) -> bool:
    """Whether the function's own code is in JAX's files."""
    return isinstance(fun, FunctionType) and fun.__code__.co_filename.startswith(JAX_FOLDER)


def under_ufunc(fun: Any) -> Any:
    """The function that a `jax.numpy.ufunc` applies, whose parameters have names.

    `ufunc._func` was seen on 0.6.2 to 0.12.0. The fallback is the ufunc itself, whose arguments
    are called `args[0]`.
    """
    return getattr(fun, "_func", fun) if isinstance(fun, ufunc) else fun


def updated_at(fun: Any) -> tuple[Any, Any] | None:
    """The array and the index of a method of `x.at[index]`; None of any other function.

    The class `_IndexUpdateRef`, with `array` and `index`, was seen on 0.6.2 to 0.12.0. Without it
    the array is closed over.
    """
    update: Any = getattr(fun, "__self__", None)
    if type(update).__name__ != "_IndexUpdateRef":
        return None
    return update.array, update.index


def is_tracing() -> bool:
    """Whether this thread is within a trace.

    `core.trace_state_clean` was seen on 0.6.2 to 0.12.0. Without it, a leaked value is found only
    when the program is called.
    """
    try:
        from jax._src.core import trace_state_clean
    except ImportError:
        return True
    return not trace_state_clean()


def closed_over_tracers(traced: Any) -> list[Any]:
    """The traced values that a `Traced` closes over: the first inputs of its jaxpr.

    `Traced._consts` was seen on 0.8 to 0.12.0; 0.6.2 has them first in `_args_flat`. Without
    either there are none.
    """
    consts = getattr(traced, "_consts", None)
    if consts is None:
        consts = (getattr(traced, "_args_flat", None) or ())[: getattr(traced, "_num_consts", 0)]
    return [const for const in consts if isinstance(const, Tracer)]
