"""Where JAX looks for what to call after a call that its caches knew, as seen on 0.6.2 to 0.12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Hook(NamedTuple):
    """One place of the function that JAX calls after a call that its caches knew, as
    `f(fun, args, kwargs, out)`; None where there is none."""

    get: Callable[[], Any]
    set: Callable[[Any], None]


def hooks() -> list[Hook]:
    """That of all threads, and that of this thread where it has its own, which goes before.

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
