"""Reads private names of JAX about the trace that this thread is recording.

If one is missing, the steps of a program have no eqns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import ReferenceType

import jax


def eqns_recorded() -> Sequence[Any]:
    """The eqns of the innermost jaxpr that is being recorded, as the list to which JAX appends.

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
    """The traceback object of a recorded eqn, which the eqns that JAX makes from it share. None if
    the eqn is gone, since nothing uses it."""
    eqn = recorded() if isinstance(recorded, ReferenceType) else recorded
    return getattr(getattr(eqn, "source_info", None), "traceback", None)


def is_as_written(eqn: Any) -> bool:
    """True if the bodies of a recorded eqn have the inputs and results of the user's function: not
    if grad or vmap made the eqn, which its name stack shows (seen on 0.10.2 and 0.12.0). False
    before 0.10, whose name stacks do not show it."""
    return jax.__version_info__ >= (0, 10) and "(" not in str(eqn.source_info.name_stack)
