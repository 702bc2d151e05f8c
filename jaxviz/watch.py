"""`watch()`: what JAX traces, lowers and compiles while it lasts, and why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jaxviz.display.bundle import announced, chosen
from jaxviz.display.logs import log_bundle
from jaxviz.display.traces import Traces, complete
from jaxviz.export.files import save_log
from jaxviz.program import Program
from jaxviz.session import Log as SessionLog
from jaxviz.session import session


class Log(SessionLog):
    """What was traced, lowered and compiled so far. Grows while `watch()` lasts.

    As the last value of a cell it is a timeline; `print` gives a summary.
    """

    def program(self, number: int) -> Program | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The program of the event with this number, without tracing again: of a lowering or a
        compilation that of its trace. None where JAX's caches hold it no more."""
        captured = super().program(number)
        return None if captured is None else Program(complete(captured))

    def save(self, path: str | Path) -> None:
        """Writes the timeline to a file that ends in `.html`: a page that needs no network. The
        programs of the traces are not in it."""
        record = self.record()
        save_log(record, self.summary(record), path)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """What a notebook shows."""
        key = announced(Traces(super().program, self.record))
        record = self.record()
        data = log_bundle(record, self.summary(record), strip=False, key=key, last=True)
        return chosen(data, include, exclude)


class RetraceError(Exception):
    """A function was traced again more often than `max_retraces` allows."""


@contextmanager
def watch(*, hits: bool = False, max_retraces: int | None = None) -> Iterator[Log]:
    """Records what JAX traces, lowers and compiles, in any thread, while it lasts.

        with jaxviz.watch() as log:
            train()
        print(log)

    A call that JAX's caches know costs what it costs without this. Nothing of the calls is held:
    neither arguments nor functions. May be nested.

    Args:
      hits: count the calls that JAX's caches know, too: each costs a little more then.
      max_retraces: at the end raise `RetraceError`, with the reasons, where functions of the
        user's were traced again more often than this, all together.
    """
    if max_retraces is not None and (type(max_retraces) is not int or max_retraces < 0):
        raise ValueError(
            f"max_retraces must be a number of at least 0, not {max_retraces!r}: "
            "write max_retraces=0."
        )
    log = Log(hits=hits)
    session.open(log)
    try:
        yield log
    except BaseException as error:
        session.close(log, type(error).__name__)
        raise
    session.close(log)
    if error := exceeded(log, max_retraces):
        raise error


def exceeded(log: SessionLog, limit: int | None) -> RetraceError | None:
    """The error, with the reasons, where functions were traced again more often than `limit`."""
    again = log.retraces
    if limit is None or again <= limit:
        return None
    made = "1 retrace" if again == 1 else f"{again:,} retraces"
    return RetraceError(f"{made}, and max_retraces is {limit}.\n{log!r}")
