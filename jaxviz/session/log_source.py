"""The interface between a log and the session that fills it."""

from __future__ import annotations

from typing import Protocol

from jaxviz import schema
from jaxviz.schema import Event


class Source(Protocol):
    """Fills a log, and finds the programs of its events."""

    def program(self, event: Event) -> schema.Program | None:
        """Find the program that an event traced, lowered or compiled; None if it is gone."""
        ...

    def kept(self, event: Event, packed: bytes) -> None:
        """Receive a program that a log has stored, packed."""
        ...

    def catch_up(self) -> None:
        """Add new events to the log."""
        ...
