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
    error = exceeded(log, max_retraces)
    if error is not None:
        raise error


def exceeded(log: Log, limit: int | None) -> RetraceError | None:
    """The error, with the reasons, where functions were traced again more often than `limit`."""
    again = log.retraces
    if limit is None or again <= limit:
        return None
    made = "1 retrace" if again == 1 else f"{again:,} retraces"
    return RetraceError(f"{made}, and max_retraces is {limit}.\n{log!r}")
