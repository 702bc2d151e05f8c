"""Reads private names of JAX that tell what the trace that goes on in this thread has recorded,
and what jit was told. Each name has the versions that it was seen on, and a fallback: without it
steps have no eqns, or a static argument is traced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from weakref import ReferenceType

import jax


def eqns_recorded() -> Sequence[Any]:
    """The eqns of the innermost jaxpr that is being recorded, as a list that JAX appends to.

    `core.trace_ctx.trace`, `parent_trace` of those of grad and vmap, and `frame` with
    `tracing_eqns` (from 0.8 on) or `eqns` were seen on 0.6.2 to 0.12.0.
    """
    try:
        from jax._src.core import trace_ctx

        trace = trace_ctx.trace
        for _ in range(100):
            frame = getattr(trace, "frame", None)
            if frame is not None:
                return frame.tracing_eqns if hasattr(frame, "tracing_eqns") else frame.eqns
            trace = trace.parent_trace
    except (ImportError, AttributeError):
        pass
    return ()


def origin_of(recorded: Any) -> Any:
    """What an eqn that was recorded has in common with those that JAX makes of it: its traceback,
    an object of its own. None where the eqn is gone, as nothing uses it."""
    eqn = recorded() if isinstance(recorded, ReferenceType) else recorded
    return getattr(getattr(eqn, "source_info", None), "traceback", None)


def function_of(jaxpr: Any) -> tuple[str, str, str] | None:
    """The name, file and first line of the function that a jaxpr was traced from.

    `debug_info.func_src_info` (`inner at cell.py:3`) was seen on 0.6.2 to 0.12.0.
    """
    debug = getattr(jaxpr, "debug_info", None)
    written = re.fullmatch(r"(.*) at (.*):(\d+)", str(getattr(debug, "func_src_info", "")))
    return (written[1], written[2], written[3]) if written else None


def is_as_written(eqn: Any) -> bool:
    """Whether the bodies of an eqn that was recorded take and return what the function does: not
    where grad or vmap made it, which the eqn's name stack tells (seen on 0.10.2 and 0.12.0, not on
    0.6.2); before 0.10 it is not known."""
    return jax.__version_info__ >= (0, 10) and "(" not in str(eqn.source_info.name_stack)


def statics_of(jitted: Any) -> dict[str, Any]:
    """The `static_argnums` and `static_argnames` of a jitted function, by these names.

    `PjitFunction._jit_info` was seen on 0.6.2 to 0.12.0.
    """
    options = getattr(jitted, "_jit_info", None)
    names = ("static_argnums", "static_argnames")
    return {name: getattr(options, name, None) or None for name in names}
