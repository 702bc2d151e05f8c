"""Reads private names of JAX that tell what a trace has recorded when it stops. Each name has the
versions that it was seen on, and a fallback: without it a card has no program and no story."""

from __future__ import annotations

from typing import Any, NamedTuple

from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Jaxpr


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
