"""Where JAX looks for what to call when a jitted function is called, as seen on 0.6.2 to 0.12.

The cache that JAX asks first is written in C++. It has no functions with effects: what they do is
known to other caches, which JAX asks from Python.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import jax

_JAX = os.path.dirname(jax.__file__) + os.sep
_CALL = "_pjit_call_impl_python"
SLOW = "jit_cpp_cache_miss"
"""What `util.test_event` is called with where a call was not known to the C++ cache."""
MISSES = ("lower_jaxpr_to_module", "pxla_cached_compilation")
"""The same where the other caches do not know it either, and it is lowered or compiled."""


class Hook(NamedTuple):
    """One place of a function that JAX calls; None where there is none."""

    get: Callable[[], Any]
    set: Callable[[Any], None]


def hooks() -> list[Hook]:
    """Of what is called as `f(fun, args, kwargs, out)` after a call that the C++ cache knew: that
    of all threads, and that of this thread where it has its own, which goes before.

    `jax_jit.global_state().post_hook` and `thread_local_state()` up to 0.6, later
    `api._post_hook_state`, no part of a cache's key. JAX itself uses it for `jax_debug_nans`, and
    leaves None as this thread's own after `with jax.debug_nans(…)`. Empty where it is missing.
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
        return [Hook(*place) for place in ((state.get_global, state.set_global), *local)]
    except (ImportError, AttributeError):
        return []


def _old_hooks(jax_jit: Any) -> list[Hook]:
    def of(state: Callable[[], Any]) -> Hook:
        return Hook(lambda: state().post_hook, lambda hook: setattr(state(), "post_hook", hook))

    everywhere, here = of(jax_jit.global_state), of(jax_jit.thread_local_state)
    return [everywhere] if here.get() is None else [everywhere, here]


def event_hook() -> Hook | None:
    """Of what `util.test_event` calls as `f(name, *args)`, for JAX's own tests to count with:
    `util.test_event_listener`. None where it is missing, and up to 0.6, where no event says that a
    call was not known to the C++ cache."""
    try:
        from jax._src import pjit, util

        if SLOW not in getattr(pjit, _CALL).__code__.co_consts:
            return None
        util.test_event_listener  # noqa: B018
        return Hook(
            lambda: util.test_event_listener,
            lambda listener: setattr(util, "test_event_listener", listener),
        )
    except (ImportError, AttributeError):
        return None


def slow_call(frame: FrameType | None) -> FrameType | None:
    """JAX's frame of the call within which an event came, where JAX alone is in between: what a
    callback does, or a rule that is not JAX's, is not this call's."""
    while frame is not None and frame.f_code.co_name != "test_event":
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith(_JAX):
        if frame.f_code.co_name == _CALL:
            return frame
        frame = frame.f_back
    return None


def function_called(call: FrameType) -> Any:
    """The function, where the user called it: `fun` of `_run_python_pjit`, up to 0.8
    `_python_pjit_helper`. None where grad, vmap or the like did."""
    caller = call.f_back
    if caller is None or caller.f_code.co_name not in ("_run_python_pjit", "_python_pjit_helper"):
        return None
    return caller.f_locals.get("fun")
