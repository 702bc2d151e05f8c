"""`gather` joins the logs of all processes of a job in one timeline."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.display.bundle import chosen, log_bundle
from jaxviz.display.wire import deflated
from jaxviz.export import SavedTimeline
from jaxviz.schema.upgrade import read
from jaxviz.sentences import sentence
from jaxviz.session import Log
from jaxviz.session.log_text import overview, row
from jaxviz.tools.job.capture import Processes
from jaxviz.tools.job.merged_log import merged
from jaxviz.tools.job.report import MOST_NAMED

_calls = count()
"""Numbers the calls in this process. All processes must make the same calls of `gather`."""


@dataclass(frozen=True, slots=True)
class GatheredLog(SavedTimeline):
    """The logs of a job's processes.

    As the last value of a cell it is one timeline, in which each process has a lane for each
    function, the longest first; `print` gives a summary.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> with jaxviz.watch() as log:
    ...     _ = jax.jit(lambda x: x * 2)(jnp.ones(3))
    >>> jaxviz.gather(log).records()[0]["process"]
    0
    """

    logs: Mapping[int, schema.Log]
    """The log of each process, by its number."""
    missing: tuple[int, ...] = ()
    """The processes that reported nothing in time."""
    timeout: float = 0.0
    """The number of seconds that the first process waited for the others."""

    def record(self) -> schema.Log:
        """Give the record that a page draws."""
        whole = merged(self.logs)
        if not self.missing:
            return whole
        note = missing_note(self.missing, f"{self.timeout:g}")
        return msgspec.structs.replace(whole, notes=[*whole.notes, note])

    def records(self) -> list[dict[str, Any]]:
        """Give the events as plain dicts, for `pandas.DataFrame(gathered.records())`."""
        return [
            {"process": process, **row(event)}
            for process, log in self.logs.items()
            for event in log.events
        ]

    def __repr__(self) -> str:
        return self._shown()[1]

    def _shown(self) -> tuple[schema.Log, str]:
        record = self.record()
        return record, overview(record, record.omitted)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        record, text = self._shown()
        return chosen(log_bundle(record, text, strip=False, key="", last=True), include, exclude)


def missing_note(processes: Sequence[int], seconds: str) -> schema.Sentence:
    """The sentence that processes did not answer within some seconds."""
    if len(processes) > MOST_NAMED:
        first, second = map(str, processes[:2])
        parts = {"first": first, "second": second, "seconds": seconds}
        return sentence("many silent processes", count=len(processes), **parts)
    *some, last = map(str, processes)
    if not some:
        return sentence("silent process", process=last, seconds=seconds)
    return sentence("silent processes", some=", ".join(some), last=last, seconds=seconds)


def gather(log: Log, timeout: float = 60.0) -> GatheredLog | None:
    """Bring the logs of all processes of a job to the first one.

    Call it in every process, at the end of the watched block. The first process waits for the
    others, and has all logs; the others send theirs and go on. They use JAX's own key-value store,
    as `agree` does, and no device. A log has kinds, times and reasons of events, and no arrays.
    Programs stay in the process that traced them.

    Parameters
    ----------
    log : Log
        A result of `watch`.
    timeout : float, optional
        The number of seconds that the first process waits.

    Returns
    -------
    GatheredLog or None
        The logs of all processes, in the first process; None in the others.

    Raises
    ------
    TypeError
        If `log` is no `Log`.
    ValueError
        If `timeout` is not positive.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> with jaxviz.watch() as log:
    ...     _ = jax.jit(lambda x: x * 2)(jnp.ones(3))
    >>> sorted(jaxviz.gather(log).logs)
    [0]
    """
    if not isinstance(log, Log):
        raise TypeError(
            "log must be the Log that jaxviz.watch() gives, with jaxviz.watch() as log: …, "
            f"not {type(log).__name__}."
        )
    processes, key, own = Processes(timeout), f"log/{next(_calls)}", log.record()
    if processes.count == 1:
        return GatheredLog({processes.index: own})
    processes.publish(key, deflated(own))
    if processes.index != 0:
        return None
    received = processes.received(key)
    logs = {one: read(zlib.decompress(text), schema.Log) for one, text in received.items()}
    return GatheredLog(logs, processes.missing(logs), timeout)
