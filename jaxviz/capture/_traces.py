"""Reads private names of JAX about traces: the cache `partial_eval.trace_to_jaxpr` (seen on 0.9 to
0.12), and the trace that this thread is recording.

The cache shows traces that JAX does not announce. If a private name is missing, these are not
found, and the steps of a program have no eqns.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple
from weakref import ReferenceType

import jax

from jaxviz.capture._events import Call
from jaxviz.capture._jax import private
from jaxviz.capture.shown.callables import parameters_of

_TRACES = private("jax._src.interpreters.partial_eval", "trace_to_jaxpr")
_CONTEXT = private("jax._src.config", "trace_context")
_WITH_STATE = private("jax._src.core", "AvalQDD") or ()
"""The class of a mutable value's type, such as that of a hijax Variable of NNX: the type itself
(`aval`) with its state. Seen on 0.10 and 0.12."""
NESTED_UNANNOUNCED = jax.__version_info__ >= (0, 10)
"""From 0.10 on JAX announces no trace within another trace, or under an eager grad or vmap."""


def misses() -> int | None:
    """The number of functions that JAX has traced: the misses of `partial_eval.trace_to_jaxpr`,
    through which all traces go from 0.9 on. None before 0.9, which announces every trace."""
    if jax.__version_info__ < (0, 9):
        return None
    try:
        return _TRACES.cache_info().misses
    except AttributeError:
        return None


def trace_context() -> Hashable:
    """The settings that JAX's caches compare beside the call: `config.trace_context()`. A new
    object at each call if that is missing."""
    try:
        return _CONTEXT()
    except TypeError:
        return object()


def type_of(leaf: Any) -> Any:
    """A type without its state; any other value as it is."""
    return leaf.aval if isinstance(leaf, _WITH_STATE) else leaf


class Body(NamedTuple):
    """A trace in JAX's cache: the function and its arguments."""

    fun: Any
    names: list[str]
    avals: tuple[Any, ...]
    flat: Any
    """The flattened arguments."""
    source: Any
    """`f at /a/b.py:3`."""
    paths: Any
    """JAX's `arg_names`. Only the debug info of the trace's jaxpr has the same tuple object, which
    links the two. Seen on 0.10 to 0.12."""

    def call(self) -> Call | None:
        """The call, with avals in place of arrays, from `FlatTree.unflatten`. Static arguments are
        as they were passed."""
        try:
            args, kwargs = self.flat.unflatten()
            return Call(self.fun, Flattened(parameters_of(self.fun)), args, kwargs)
        except Exception:
            return None


def cached_trace_count() -> int:
    """The number of keys of `trace_keys`."""
    try:
        return _TRACES.cache_info().currsize
    except AttributeError:
        return 0


def trace_keys() -> dict[int, Any]:
    """The keys of `partial_eval.trace_to_jaxpr`, from 0.10 on, by number: a weak reference to the
    function, the context, `(in_avals, debug_info, …)` and keywords. Empty if they are missing. Each
    key takes half a microsecond."""
    try:
        keys = _TRACES.cache_keys()
        return {hash((id(key[0]), id(key[2][0]), id(key[2][1]))): key for key in keys}
    except (AttributeError, IndexError, TypeError):
        return {}


def cached_avals() -> dict[str, list[tuple[Any, ...]]]:
    """The avals of the traces in the cache, by their function's `f at /a/b.py:3`. JAX drops traces
    together with their function."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for key in trace_keys().values():
        try:
            found.setdefault(key[2][1].func_src_info, []).append(
                tuple(map(type_of, key[2][0].vals))
            )
        except (AttributeError, IndexError, TypeError):
            continue
    return found


def body_of(key: Any) -> Body:
    """The body of a key of `trace_keys`; `NO_BODY` if it cannot be read, or is not of a jitted
    function."""
    try:
        avals, debug = key[2][:2]
        if debug.traced_for not in _JITS:
            return NO_BODY
        found, fun = tuple(map(type_of, avals.vals)), key[0]()
        names: list[str] = list(debug.arg_names or ())
        names = names if len(names) == len(found) else []
        return Body(fun, names, found, avals, debug.func_src_info, debug.arg_names)
    except (AttributeError, IndexError, TypeError, ValueError):
        return NO_BODY


NO_BODY = Body(None, [], (), None, None, None)


_JITS = ("jit", "pjit")
"""The `traced_for` of jitted functions. The trace of a `scan` within one is part of its trace."""


class Flattened(NamedTuple):
    """The options of a jit with only a flattened call. In such a call, an argument without avals is
    static."""

    fun_signature: Any
    static_argnums: Any = None
    static_argnames: Any = None


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


def function_of(jaxpr: Any) -> tuple[str, str, str] | None:
    """The name, file and first line of the function that a jaxpr was traced from.

    `debug_info.func_src_info` (`inner at cell.py:3`) was seen on 0.6.2 to 0.12.0.
    """
    debug = getattr(jaxpr, "debug_info", None)
    written = re.fullmatch(r"(.*) at (.*):(\d+)", str(getattr(debug, "func_src_info", "")))
    return (written[1], written[2], written[3]) if written else None


def is_as_written(eqn: Any) -> bool:
    """True if the bodies of a recorded eqn have the inputs and results of the user's function: not
    if grad or vmap made the eqn, which its name stack shows (seen on 0.10.2 and 0.12.0). False
    before 0.10, whose name stacks do not show it."""
    return jax.__version_info__ >= (0, 10) and "(" not in str(eqn.source_info.name_stack)
