"""Runs that jaxviz makes itself: these change nothing that the user sees of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax

from jaxviz.capture._hooks import restored_thread_hook
from jaxviz.capture._jax import NO_CACHE, as_configured
from jaxviz.capture.tracing.trace import unreported_traces


@contextmanager
def own_run(settings: dict[str, Any]) -> Iterator[None]:
    """Within this context programs are traced and run with these settings of JAX; their traces are
    no events, the persistent cache gets none of them, and neither NaN nor infinity is an error."""
    with (
        unreported_traces(),
        as_configured({**settings, **NO_CACHE}),
        restored_thread_hook(),
        jax.debug_nans(False),
        jax.debug_infs(False),
    ):
        yield
