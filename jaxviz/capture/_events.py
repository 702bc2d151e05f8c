"""Reads from Python's stack what JAX is tracing, lowering or compiling: by the names of its own
functions and of their local variables, as seen on 0.6.2 to 0.12.0.

Only JAX's frames are read, never the user's. If a version of JAX lacks a name, its information is
missing (a reason, or the link from a compilation to its trace), but never an event.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import jax
import jax.monitoring

from jaxviz.capture._jax import JitOptions, private
from jaxviz.capture.shown.objects import is_a, title_of

_JAX = os.path.dirname(jax.__file__) + os.sep
_MONITORING = private("jax._src", "monitoring")
_RESOURCES = private("jax._src.mesh", "thread_resources")
_SIGNATURES = private("jax._src.pjit", "_infer_params_cached")
_TRACING = ("_create_pjit_jaxpr", "_trace_for_jit", "_infer_params_impl", "_infer_params")
_NEAR = 60
"""The limit of frames that are read above an event; all frames of interest are nearer."""


class Call(NamedTuple):
    """A call of a jitted function that missed the cache."""

    fun: Any
    options: Any
    """`PjitInfo`: `static_argnums`, `static_argnames`, `fun_signature`…"""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _locals(frame: FrameType | None, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    return (found for _, found in locals_of(frame, names))


def locals_of(
    frame: FrameType | None, names: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the local variables of each of JAX's frames with one of these function names,
    innermost first."""
    for _ in range(_NEAR):
        if frame is None:
            return
        code = frame.f_code
        if code.co_name in names and code.co_filename.startswith(_JAX):
            yield code.co_name, frame.f_locals
        frame = frame.f_back


def call_of(frame: FrameType | None) -> Call | None:
    """The nearest call on the stack that missed jit's cache; None if there is none. `_infer_params`
    has it in `fun`, `ji`, `args` and `kwargs`; `cache_miss` has `jit_info` in place of `ji`."""
    calls = map(_call, _locals(frame, ("_infer_params", "cache_miss")))
    return next((call for call in calls if call is not None), None)


def _call(found: dict[str, Any]) -> Call | None:
    if "fun" in found and "args" in found and "kwargs" in found:
        options = found.get("ji", found.get("jit_info"))
        return Call(found["fun"], options, found["args"], found["kwargs"])
    return None


class EndedTrace(NamedTuple):
    """The state at the end of a trace: the call if it is on the stack, the jaxpr unless the trace
    failed, its constants, and the inputs' avals. Options of results are not known yet."""

    call: Call | None
    jaxpr: Any
    consts: list[Any]
    options: JitOptions
    avals: Any


def ended_trace(frame: FrameType | None) -> EndedTrace:
    """The trace that ends, from local variables. The call is in `_infer_params`. Up to 0.8 `jaxpr`
    and, if it is open, `consts` are in `_create_pjit_jaxpr`, and options in `_infer_params_impl`.
    From 0.9 on all three are in `_trace_for_jit`, with avals in `in_type` (on 0.12 `avals_ft`)."""
    found: dict[str, Any] = {}
    for function, variables in locals_of(frame, _TRACING):
        found |= variables
        if function == "_infer_params":
            break
    jaxpr, inputs = found.get("jaxpr"), found.get("in_type", found.get("avals_ft"))
    options = JitOptions(found.get("donated_invars", ()), found.get("in_shardings_flat", ()))
    consts = [*getattr(jaxpr, "consts", found.get("consts", ()))]
    return EndedTrace(_call(found), _opened(jaxpr), consts, options, getattr(inputs, "vals", None))


class Lowering(NamedTuple):
    """A jaxpr that is being lowered or compiled."""

    jaxpr: Any
    args: Any
    """Arrays, or JAX's descriptions of them, in the order of the jaxpr's inputs: constants that JAX
    hoisted come first."""
    options: dict[str, Any]
    """The options of `jax.jit`, by their public names."""


_OPTIONS = {
    "donated_invars": "donated_invars",
    "in_shardings": "in_shardings",
    "out_shardings": "out_shardings",
    "keep_unused": "keep_unused",
    "inline": "inline",
    "compiler_options_kvs": "compiler_options",
}
"""The public names of options, by the names of JAX's local variables."""
_RULES = "_pjit_"


def role_of(frame: FrameType | None) -> str:
    """The rule of grad, vmap or the like that made the jaxpr; else empty. It is read from the
    nearest frame of `_pjit_jvp`, `_pjit_linearize`, `_pjit_partial_eval`, `_pjit_transpose`,
    `_pjit_batcher` and others."""
    for _ in range(_NEAR):
        if frame is None or frame.f_code.co_name in ("cache_miss", "_infer_params"):
            return ""
        code = frame.f_code
        if code.co_name.startswith(_RULES) and code.co_filename.startswith(_JAX):
            role = code.co_name.removeprefix(_RULES)
            if role not in ("lower", "lower_cached", "call_impl", "call_impl_python"):
                return role
        frame = frame.f_back
    return ""


def jaxprs_called(frame: FrameType | None) -> Iterator[Any]:
    """The jaxprs of the calls of jitted functions on the stack, innermost first. They are in
    `p.params` of `cache_miss` and, up to 0.8, of `_python_pjit_helper`."""
    for found in _locals(frame, ("cache_miss", "_python_pjit_helper")):
        jaxpr = getattr(found.get("p"), "params", {}).get("jaxpr")
        if jaxpr is not None:
            yield _opened(jaxpr)


def lowering_of(frame: FrameType | None) -> Lowering | None:
    """The jaxpr that is being lowered or compiled; None if it is not on the stack.
    `_resolve_and_lower` and `_pjit_call_impl_python` have the locals `jaxpr` and `args`; the second
    has the options, too."""
    for found in _locals(frame, ("_resolve_and_lower", "_pjit_call_impl_python")):
        if "jaxpr" in found and "args" in found:
            return Lowering(_opened(found["jaxpr"]), found["args"], _options(frame))
    return None


def _options(frame: FrameType | None) -> dict[str, Any]:
    for found in _locals(frame, ("_pjit_call_impl_python",)):
        return {public: found[name] for name, public in _OPTIONS.items() if name in found}
    return {}


def module_of(frame: FrameType | None) -> Any:
    """The MLIR module that was lowered or is being compiled, the same object for both; None if it
    is not on the stack. `lowering_result` in `_cached_lowering_to_hlo` has it, then `computation`
    in `_cached_compilation`."""
    for found in _locals(frame, ("_cached_lowering_to_hlo", "_cached_compilation")):
        module = found.get("computation")
        return getattr(found.get("lowering_result"), "module", None) if module is None else module
    return None


def failure_of(frame: FrameType | None) -> str | None:
    """The class of the exception that ends the event, or None: `exc_type` in
    `LogElapsedTimeContextManager.__exit__`."""
    for found in _locals(frame, ("__exit__",)):
        failure = found.get("exc_type")
        return None if failure is None else title_of(failure)
    return None


def failed_at(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames and lines in the traceback of the exception that ends the event, outermost first:
    `traceback` in `LogElapsedTimeContextManager.__exit__`."""
    for found in _locals(frame, ("__exit__",)):
        traceback = found.get("traceback")
        while isinstance(traceback, TracebackType):
            yield traceback.tb_frame, traceback.tb_lineno or 1
            traceback = traceback.tb_next
        return


def _opened(jaxpr: Any) -> Any:
    return getattr(jaxpr, "jaxpr", jaxpr)


def missing() -> list[str]:
    """The names of functions that are searched on the stack and that this version of JAX does not
    have. Their information is missing from events."""
    try:
        from jax._src import dispatch, pjit
    except ImportError:
        return ["pjit"]
    either = ("_trace_for_jit", "_create_pjit_jaxpr")
    wanted = ("_infer_params", "_resolve_and_lower", "_pjit_call_impl_python")
    found = [name for name in wanted if not _is_named(pjit, name)]
    found += [] if any(hasattr(pjit, name) for name in either) else [either[0]]
    ends = getattr(dispatch, "LogElapsedTimeContextManager", None)
    return found if _is_named(ends, "__exit__") else [*found, "__exit__"]


def _is_named(owner: Any, name: str) -> bool:
    """True if `owner` has a function of this name, and its frames have this name, too."""
    found = inspect.unwrap(getattr(owner, name, None) or _absent)
    code = getattr(getattr(found, "__wrapped__", found), "__code__", _absent.__code__)
    return code.co_name == name


def _absent() -> None:
    pass


def physical_mesh() -> Any:
    """The mesh of `with mesh:`, from `mesh.thread_resources`; None if that is missing."""
    try:
        return _RESOURCES.env.physical_mesh
    except AttributeError:
        return None


def lookups() -> int | None:
    """The number of lookups in `pjit._infer_params_cached` since it was cleared; None if it is
    missing. JAX looks up each call once that misses its C++ caches."""
    try:
        info = _SIGNATURES.cache_info()
        return info.hits + info.misses
    except AttributeError:
        return None


def sentinel() -> Callable[[], Any]:
    """A function that returns a new object after each `jax.clear_caches()`, and else the same one
    as before. The object is cached with `util.weakref_lru_cache`, which JAX clears. If that is
    missing, the object is always the same."""
    key = _Key()
    try:
        from jax._src.util import weakref_lru_cache

        cached = weakref_lru_cache(_new_key, trace_context_in_key=False)
        cached(key)
    except (ImportError, AttributeError, TypeError):
        return lambda: key
    return lambda: cached(key)


class _Key:
    pass


def _new_key(_: Any) -> Any:
    return _Key()


_REGISTER = {
    "scalar": jax.monitoring.register_scalar_listener,
    "event_duration": jax.monitoring.register_event_duration_secs_listener,
    "event": jax.monitoring.register_event_listener,
}


def is_registered(listener: Any, kind: str) -> bool:
    """True if JAX has a listener, by `jax._src.monitoring.get_…_listeners`, as seen on 0.6.2 to
    0.12.0. False without them."""
    listeners = getattr(_MONITORING, f"get_{kind}_listeners", list)
    return listener in listeners()


def register(listener: Any, kind: str) -> None:
    """Registers a listener, once. If JAX does not show its listeners, it is unregistered first."""
    if not is_registered(listener, kind):
        with suppress(Exception):
            unregister(listener, kind)
        _REGISTER[kind](listener)


def unregister(listener: Any, kind: str) -> bool:
    """Unregisters a listener: by `jax.monitoring.unregister_…` from 0.8 on, before by the private
    `_unregister_…_by_callback`. False if neither exists."""
    names = (f"unregister_{kind}_listener", f"_unregister_{kind}_listener_by_callback")
    for name in names:
        take = getattr(_MONITORING, name, None)
        if take is not None:
            take(listener)
            return True
    return False


def source_of(jaxpr: Any) -> Any:
    """The function of a jaxpr by its debug info, `f at /a/b.py:3` (`func_src_info`)."""
    return getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None)


def names_of(jaxpr: Any) -> list[str]:
    """The user's paths of the jaxpr's inputs; empty if JAX has lost them."""
    names = getattr(getattr(jaxpr, "debug_info", None), "arg_names", None)
    if not is_a(names, tuple, list) or len(names) != len(jaxpr.invars):
        return []
    return list(names) if all(is_a(path, str) and path for path in names) else []


def paths_in(jaxpr: Any) -> Any:
    """A jaxpr's `debug_info.arg_names`, the same object."""
    return getattr(getattr(jaxpr, "debug_info", None), "arg_names", None)


def is_derived(jaxpr: Any) -> bool:
    """True if grad or the like made the jaxpr: its `arg_names` are None then."""
    return getattr(getattr(jaxpr, "debug_info", None), "arg_names", ()) is None


def numbers_of(jaxpr: Any) -> list[str]:
    """Names for a jaxpr's inputs that have none in JAX: `input 0`, `input 1`."""
    return [f"input {i}" for i in range(len(getattr(jaxpr, "invars", ())))]
