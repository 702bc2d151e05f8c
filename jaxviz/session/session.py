"""The one listener of this process, and the logs that it fills."""

from __future__ import annotations

import threading

from jaxviz.analysis.history import History
from jaxviz.capture.events import Apart, Listener
from jaxviz.schema import Event, Program
from jaxviz.session.log import Log
from jaxviz.signature import Fact


class Session:
    """The one listener of this process, and what it remembers from one `watch()` to the next."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._history = History()
        self._listener = Listener(self._take)
        self._logs: list[Log] = []

    def open(self, log: Log) -> None:
        with self._lock:
            log.begin(self)
            self._logs.append(log)
            if len(self._logs) == 1:
                self._listener.start()

    def close(self, log: Log, error: str | None = None) -> None:
        """Ends it, with the class of the exception that did, if any."""
        with self._lock:
            self._logs = [other for other in self._logs if other is not log]
            if not self._logs:
                self._listener.stop()
        log.close(error)

    def program(self, event: Event) -> Program | None:
        """What an event traced, lowered or compiled, without tracing again; None where JAX's
        caches hold it no more."""
        with self._lock:
            number = self._history.program(event)
        return None if number is None else self._listener.program(number, event.name)

    def _take(self, fact: Fact | Apart) -> None:
        with self._lock:
            event = self._history.event(fact) if isinstance(fact, Fact) else fact
            for log in self._logs:
                log.add(event)


session = Session()
