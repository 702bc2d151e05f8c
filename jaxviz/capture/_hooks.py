"""Puts hooks where JAX runs them in a call of a jitted function, as seen on 0.6.2 to 0.12. They
count the calls that hit JAX's caches.

JAX's first cache is written in C++. Programs with effects are not in it, but in caches that JAX
looks up from Python.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import jax

from jaxviz.capture._events import Call
from jaxviz.capture.changes import Place

_JAX = os.path.dirname(jax.__file__) + os.sep
_CALL = "_pjit_call_impl_python"
SLOW = "jit_cpp_cache_miss"
"""The event of `util.test_event` for a call that misses the C++ cache."""
MISSES = ("lower_jaxpr_to_module", "pxla_cached_compilation")
"""The events of a call that misses the other caches, too, and is lowered or compiled."""


_CALLERS = ("_run_python_pjit", "_python_pjit_helper", "cache_miss")


def hooks() -> list[Place]:
    """The places of the function that JAX calls, as `f(fun, args, kwargs, out)`, after a hit of the
    C++ cache: the place for all threads, and this thread's own place, which JAX prefers, if it has
    one. Empty if they are missing.

    They are `jax_jit.global_state().post_hook` and `thread_local_state()` up to 0.6, later
    `api._post_hook_state`, which is not part of a cache's key. JAX itself uses it for
    `jax_debug_nans`, and leaves None in the thread's own place after `with jax.debug_nans(…)`.
    """
    try:
        from jax._src import api
        from jax._src.lib import jax_jit

        state = getattr(api, "_post_hook_state", None)
        if state is None:
            return _old_hooks(jax_jit)
        from jax._src.config import config_ext

        local = (
            [] if state.get_local() is config_ext.unset else [(state.get_local, state.set_local)]
        )
        return [Place(*place) for place in ((state.get_global, state.set_global), *local)]
    except (ImportError, AttributeError):
        return []


@contextmanager
def restored_thread_hook() -> Iterator[None]:
    """Restores the thread's own hook after this context.

    `with jax.debug_nans(…)` leaves None there. Since 0.7 that hides the hook of all threads:
    `jax_debug_nans` would no longer check calls that hit the C++ cache.
    """
    try:
        from jax._src import api

        state = api._post_hook_state
        before = state.get_local()
    except (ImportError, AttributeError):
        yield
        return
    try:
        yield
    finally:
        state.set_local(before)


def _old_hooks(jax_jit: Any) -> list[Place]:
    def of(state: Callable[[], Any]) -> Place:
        return Place(lambda: state().post_hook, lambda hook: setattr(state(), "post_hook", hook))

    everywhere, here = of(jax_jit.global_state), of(jax_jit.thread_local_state)
    return [everywhere] if here.get() is None else [everywhere, here]


def event_hook() -> Place | None:
    """The place of the function that `util.test_event` calls, as `f(name, *args)`. JAX's own tests
    count with it (`util.test_event_listener`). None if it is missing, and up to 0.6, which has no
    event for a miss of the C++ cache."""
    try:
        from jax._src import pjit, util

        if SLOW not in getattr(pjit, _CALL).__code__.co_consts:
            return None
        util.test_event_listener  # noqa: B018
        return Place(
            lambda: util.test_event_listener,
            lambda listener: setattr(util, "test_event_listener", listener),
        )
    except (ImportError, AttributeError):
        return None


class PlacedHook(NamedTuple):
    """A hook of ours, its place, and the hook that was there before."""

    place: Place
    ours: Any
    earlier: Any


def put(place: Place, hook: Any, placed: list[PlacedHook]) -> None:
    """Puts a hook into a place. It is added to `placed` first, so that an interrupt does not leave
    it there. A hook that was there is called after ours."""
    earlier = place.get()
    if earlier is hook:  # left in this thread by a stop in another
        earlier = None
    placed.append(PlacedHook(place, hook if earlier is None else _chained(hook, earlier), earlier))
    place.set(placed[-1].ours)


def _chained(first: Any, earlier: Any) -> Any:
    """A hook that calls both. The `earlier` one may raise: `jax_debug_nans` reports in this way."""

    def hook(*args: Any) -> Any:
        first(*args)
        return earlier(*args)

    return hook


def put_back(placed: PlacedHook) -> bool:
    """Restores the hook that was there before. False if another one has replaced ours."""
    try:
        stayed = placed.place.get() is placed.ours
        if stayed:
            placed.place.set(placed.earlier)
    except Exception:
        return False
    return stayed


def slow_call(frame: FrameType | None) -> FrameType | None:
    """JAX's frame of the call in which an event came. None if other code than JAX's is in between:
    this call does not cause the events of a callback or a user's rule."""
    while frame is not None and frame.f_code.co_name != "test_event":
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(_JAX):
        if frame.f_code.co_name == _CALL:
            return frame
        frame = frame.f_back
    return None


def function_called(call: FrameType) -> Any:
    """The function that the user called: `fun` in `_run_python_pjit`, up to 0.8 in
    `_python_pjit_helper`. None if grad, vmap or the like called it."""
    return _called(call).get("fun")


def slow_arguments(call: FrameType) -> Call | None:
    """The same call with its arguments, `args` and `kwargs` there; its options are `jit_info` there
    or in `cache_miss`. None if these names are missing."""
    found = {**_called(call.f_back), **_called(call)}
    if not {"fun", "args", "kwargs", "jit_info"} <= found.keys():
        return None
    return Call(found["fun"], found["jit_info"], found["args"], found["kwargs"])


def fast_arguments(fun: Any, args: Any, kwargs: Any) -> Call | None:
    """The call of a jitted function that hit the C++ cache. `PjitFunction._fun` and `_jit_info`
    were seen on 0.6.2 to 0.12.0; None without them."""
    made, options = getattr(fun, "_fun", None), getattr(fun, "_jit_info", None)
    return None if options is None else Call(made, options, args, kwargs or {})


def _called(frame: FrameType | None) -> dict[str, Any]:
    """The local variables of a frame's caller, if that is one of `_CALLERS`."""
    caller = None if frame is None else frame.f_back
    if caller is None or caller.f_code.co_name not in _CALLERS:
        return {}
    return caller.f_locals
