"""Reads JAX's cache of traces, `partial_eval.trace_to_jaxpr`: how many functions were traced, and
which. Seen on 0.9 to 0.12.

That is how traces are found that JAX does not announce. If a private name is missing, they are not
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
"""The class of a type with the state of what is mutable, such as a hijax Variable of NNX, around
the type itself (`aval`). Seen on 0.10 and 0.12."""
NESTED_ARE_SILENT = jax.__version_info__ >= (0, 10)
"""From 0.10 on no trace within another trace, or under an eager grad or vmap, is announced."""


def misses() -> int | None:
    """How many functions JAX has traced so far: the misses of `partial_eval.trace_to_jaxpr`,
    through which all traces go from 0.9 on. None before 0.9, which announces every trace."""
    if jax.__version_info__ < (0, 9):
        return None
    try:
        return _TRACES.cache_info().misses
    except AttributeError:
        return None


def trace_context() -> Hashable:
    """What JAX's caches compare beside the call: `config.trace_context()`, which has the settings.
    Another object each time where that is missing."""
    try:
        return _CONTEXT()
    except TypeError:
        return object()


def type_of(leaf: Any) -> Any:
    """A type without the state that JAX may have put around it; any other value as it is."""
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
    """JAX's `arg_names`. The same tuple object is in the debug info of the trace's jaxpr, and of no
    other, which links the two. Seen on 0.10 to 0.12."""

    def call(self) -> Call | None:
        """The call, with avals in place of arrays, as `FlatTree.unflatten` gives it: static
        arguments as they were passed."""
        try:
            args, kwargs = self.flat.unflatten()
            return Call(self.fun, Flattened(parameters_of(self.fun)), args, kwargs)
        except Exception:
            return None


def traces_held() -> int:
    """How many keys `trace_keys` has."""
    try:
        return _TRACES.cache_info().currsize
    except AttributeError:
        return 0


def trace_keys() -> dict[int, Any]:
    """The keys of `partial_eval.trace_to_jaxpr`, from 0.10 on, by number: a weak reference to the
    function, the context, `(in_avals, debug_info, …)` and keywords. Empty where they cannot be
    had. They take half a microsecond each."""
    try:
        keys = _TRACES.cache_keys()
        return {hash((id(key[0]), id(key[2][0]), id(key[2][1]))): key for key in keys}
    except (AttributeError, IndexError, TypeError):
        return {}


def alive() -> dict[str, list[tuple[Any, ...]]]:
    """The avals of the traces that the cache still has, by their function's `f at /a/b.py:3`. JAX
    drops traces together with their function."""
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
    """The body that a key of `trace_keys` stands for; `NOBODY` where it cannot be read, or is not
    of a jitted function."""
    try:
        avals, debug = key[2][:2]
        if debug.traced_for not in _JITS:
            return NOBODY
        found, fun = tuple(map(type_of, avals.vals)), key[0]()
        names: list[str] = list(debug.arg_names or ())
        known = names if len(names) == len(found) else []
        return Body(fun, known, found, avals, debug.func_src_info, debug.arg_names)
    except (AttributeError, IndexError, TypeError, ValueError):
        return NOBODY


NOBODY = Body(None, [], (), None, None, None)


_JITS = ("jit", "pjit")
"""What JAX says that a trace of a jitted function is for. The trace of a `scan` in it is part of
it."""


class Flattened(NamedTuple):
    """The options of a jit of which only a flattened call is known. In such a call, an argument
    without avals is a static one."""

    fun_signature: Any
    static_argnums: Any = None
    static_argnames: Any = None
