"""`watch()`: what JAX traces, lowers and compiles while it lasts, and why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxviz.session import Log, session


class RetraceError(Exception):
    """A function was traced again more often than `max_retraces` allows."""


@contextmanager
def watch(*, max_retraces: int | None = None) -> Iterator[Log]:
    """Records what JAX traces, lowers and compiles, in any thread, while it lasts.

        with jaxviz.watch() as log:
            train()
        print(log)

    A call that JAX's caches know costs what it costs without this. Nothing of the calls is held:
    neither arguments nor functions. May be nested.

    Args:
      max_retraces: at the end raise `RetraceError`, with the reasons, where functions of the
        user's were traced again more often than this, all together.
    """
    if max_retraces is not None and (type(max_retraces) is not int or max_retraces < 0):
        raise ValueError(f"max_retraces must be a number of at least 0, not {max_retraces!r}.")
    log = Log()
    session.open(log)
    try:
        yield log
    finally:
        session.close(log)
    again = log.retraces
    if max_retraces is not None and again > max_retraces:
        made = "1 retrace" if again == 1 else f"{again:,} retraces"
        raise RetraceError(f"{made}, and max_retraces is {max_retraces}.\n{log!r}")
