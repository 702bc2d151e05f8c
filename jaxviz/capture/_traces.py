"""Reads private names of JAX about its cache of traces, `partial_eval.trace_to_jaxpr` (seen on 0.9
to 0.12).

The cache shows traces that JAX does not announce. If a private name is missing, these are not
found.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

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
