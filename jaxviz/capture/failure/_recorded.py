"""Reads private names of JAX that tell what a trace had recorded when it stopped, and what was
called. Each name has the versions that it was seen on, and a fallback: without it a card has no
program and no story, or offers no static argument."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple

from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Jaxpr

from jaxviz.capture.failed_expression import entries
from jaxviz.capture.source import file_kind


class Recorded(NamedTuple):
    """A trace that has not ended: the program so far."""

    jaxpr: ClosedJaxpr
    """Its only output is the value that was asked for; there is none where that is not of it."""
    function: str
    """The name of the function that is traced."""
    paths: list[str]
    """The user's paths of its inputs."""


def recording(value: Any) -> Any:
    """The tracer that records, within those of grad and vmap; None where there is none.

    `Tracer._trace`, `JVPTracer.primal`, `BatchTracer.val` and `DynamicJaxprTrace` were seen on
    0.6.2 to 0.12.0.
    """
    for _ in range(100):
        if not isinstance(value, Tracer):
            return None
        if type(getattr(value, "_trace", None)).__name__ == "DynamicJaxprTrace":
            return value
        value = getattr(value, "primal", getattr(value, "val", None))
    return None


def recorded(tracer: Any, asked: bool) -> Recorded | None:
    """What the trace of a tracer has recorded so far, with the tracer as output if it is `asked`
    for.

    `DynamicJaxprTrace.frame` and its `invars`, `constvar_to_val` and `debug_info` were seen on
    0.6.2 to 0.12.0.
    """
    try:
        frame = tracer._trace.frame
        constants = dict(frame.constvar_to_val)
        eqns, invars = _eqns(frame), list(frame.invars)
        outvars = [_variable(frame, tracer)] if asked else []
        debug = frame.debug_info
        known = debug._replace(result_paths=("",) * len(outvars))
        jaxpr = Jaxpr([*constants], invars, outvars, eqns, debug_info=known)
        closed = ClosedJaxpr(jaxpr, [*constants.values()])
        function = debug.func_src_info.partition(" at ")[0]
        known_paths: list[str] = [*(debug.arg_names or ())]
        paths = known_paths if len(known_paths) == len(invars) else [""] * len(invars)
        return Recorded(closed, function, paths)
    except (AttributeError, KeyError, TypeError, ValueError, AssertionError):
        return None


def _eqns(frame: Any) -> list[Any]:
    """The eqns of a trace that goes on: `get_eqns` from 0.8 on, which leaves out those that nothing
    uses any more; `eqns` before."""
    return frame.get_eqns() if hasattr(frame, "get_eqns") else list(frame.eqns)


def _variable(frame: Any, tracer: Any) -> Any:
    """The variable that a tracer stands for: its `val` from 0.8 on, `tracer_to_var` before."""
    known = getattr(frame, "tracer_to_var", None)
    return tracer.val if known is None else known[id(tracer)]


class Passed(NamedTuple):
    """A call of a jitted function."""

    function: str
    arguments: Mapping[str, Any]
    """By the names of the parameters."""


def passed(error: BaseException, at: TracebackType) -> Passed | None:
    """What the jitted function was called with that failed at the line, or that the line called.

    The local variables `fun`, `args` and `kwargs` of `cache_miss` were seen on 0.6.2 to 0.12.0;
    without them no argument is offered to be made static.
    """
    below = [entry.tb_frame.f_locals for entry in entries(at.tb_next) if _is_call(entry)]
    called = [held for held in below if _is_users(_code(held))]
    calls = [entry.tb_frame.f_locals for entry in entries(error.__traceback__) if _is_call(entry)]
    own = [held for held in calls if _code(held) is at.tb_frame.f_code]
    return next((_passed(held) for held in [*own[-1:], *called[:1]]), None)


class Called(NamedTuple):
    """A call that was traced: the function without what wraps it, and what it was called with."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`."""


def called_of(error: BaseException) -> Called | None:
    """The outermost call that was traced, of a jitted function or of `capture` (`trace.py`).

    `jit_info` of `cache_miss`, and its fields, were seen on 0.6.2 to 0.12.0; without them no mend
    can be tried.
    """
    for entry in entries(error.__traceback__):
        held = entry.tb_frame.f_locals
        if _is_call(entry) and "jit_info" in held:
            options = held["jit_info"]
        elif "called" in held and file_kind(entry.tb_frame.f_code.co_filename) == "machinery":
            options = None
        else:
            continue
        names = ("static_argnums", "static_argnames")
        found = {name: held.get(name) or getattr(options, name, None) for name in names}
        return Called(inspect.unwrap(held["fun"]), held["args"], held["kwargs"], found)
    return None


def _is_call(entry: TracebackType) -> bool:
    frame = entry.tb_frame
    return frame.f_code.co_name == "cache_miss" and {"fun", "args", "kwargs"} <= {*frame.f_locals}


def _is_users(code: Any) -> bool:
    """Whether it is code that the user can change, and not a function of JAX's that is jitted."""
    return code is not None and file_kind(code.co_filename) == "own"


def _code(held: Mapping[str, Any]) -> Any:
    return getattr(inspect.unwrap(held["fun"]), "__code__", None)


def _passed(held: Mapping[str, Any]) -> Passed:
    fun = inspect.unwrap(held["fun"])
    try:
        bound = inspect.signature(fun).bind(*held["args"], **held["kwargs"])
    except (TypeError, ValueError):
        return Passed(fun.__name__, {})
    return Passed(getattr(fun, "__name__", ""), bound.arguments)
