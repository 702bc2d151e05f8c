"""Reads which profile runs in JAX, and ends one of ours that JAX could not write.

It is in `jax._src.profiler._profile_state`: as `profile_session` and `log_dir` (seen on 0.6.2 to
0.11.2), or as `session` with a `log_dir` of its own (0.12.0). In a version without both, the
profile is unknown, and only `jax.profiler.stop_trace` can end it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from jaxviz.capture._jax import private

_STATE = private("jax._src.profiler", "_profile_state")


def is_readable() -> bool:
    """True if this version of JAX shows which profile runs."""
    return hasattr(_STATE, "session") or hasattr(_STATE, "profile_session")


def runs() -> bool:
    """True if a profile runs in JAX; False if JAX does not show it."""
    return _session() is not None


def runs_in(folder: str) -> bool:
    """True if the profile that runs will be written to a folder of ours. It has no folder yet if an
    interrupt came while JAX began it; JAX 0.12 begins it with one."""
    session = _session()
    if session is None:
        return False
    if hasattr(_STATE, "session"):
        return getattr(session, "log_dir", None) == folder
    return _STATE.log_dir in (folder, None)


def drop(folder: str) -> None:
    """Ends a profile of ours that still runs, without writing it. Any other one goes on."""
    if not runs_in(folder):
        return
    with _STATE.lock:
        session = _session()
        if not runs_in(folder):  # another thread was faster
            return
        with suppress(Exception):  # as where XLA never began it
            getattr(session, "_raw_session", session).stop()
        _STATE.reset()


def _session() -> Any:
    return getattr(_STATE, "session", None) or getattr(_STATE, "profile_session", None)
