"""The traces that a log remembers of each function, as the rows of a table."""

from __future__ import annotations

from jaxviz.analysis.retraces import Traced, compared
from jaxviz.schema import CacheTable, Event, Frame
from jaxviz.signature import Fact

PROGRAMS = 64
"""Programs of one function that a table has."""
PROGRAMS_IN_ALL = 1_000
"""Programs of which a log remembers what JAX compared."""

Function = tuple[str, Frame | None]


class CacheTables:
    """What JAX compared for the first traces of each function. Others are counted."""

    def __init__(self) -> None:
        self._traces: dict[Function, list[Traced]] = {}
        self._omitted: dict[Function, int] = {}
        self._room = PROGRAMS_IN_ALL

    def add(self, event: Event, fact: Fact) -> None:
        """Remembers a trace that made a program, while there is room."""
        if event.kind != "trace" or event.error is not None:
            return
        function = (event.name, event.definition)
        traces = self._traces.setdefault(function, [])
        if self._room and len(traces) < PROGRAMS:
            self._room -= 1
            traces.append(
                Traced(event.number, event.site, fact.identity, fact.signature, fact.cleared)
            )
        else:
            self._omitted[function] = self._omitted.get(function, 0) + 1

    def named(self, name: str) -> CacheTable:
        """The programs of the function with this name, of several the latest. Raises ValueError
        where none of this name was traced."""
        functions = tuple(self._traces)
        found = [function for function in functions if function[0] == name]
        if not found:
            known = ", ".join(dict.fromkeys(function[0] for function in functions)) or "none"
            raise ValueError(f"no function named {name} was traced, but {known}.")
        return self._table(found[-1])

    def _table(self, function: Function) -> CacheTable:
        found = compared(tuple(self._traces[function]))
        return CacheTable(
            name=function[0],
            definition=function[1],
            columns=found.columns,
            more=found.more,
            rows=found.rows,
            omitted=self._omitted.get(function, 0),
        )
