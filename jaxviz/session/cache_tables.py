"""The programs of each function that a log stores, and the calls that made or found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from threading import RLock

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.retraces import CachedProgram, KeyTable, compare_keys
from jaxviz.schema import CacheCall, CacheTable, Event, Frame, Words
from jaxviz.schema.signature import Trace

PROGRAMS = 64
"""The most programs of one function in a table."""
PROGRAMS_IN_ALL = 1_000
"""The most programs whose cache keys a log stores."""
TABLES_SHOWN = 20
"""The most functions whose tables a page shows."""
CALLS = 1_000
"""The most calls of one function in a table."""

Function = tuple[str, Frame | None]


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A call and its time."""

    at: float
    call: CacheCall


@dataclass
class FunctionPrograms:
    """The programs and calls of one function."""

    programs: list[CachedProgram] = field(default_factory=list)
    calls: list[TimedCall] = field(default_factory=list)
    omitted: int = 0
    """Traces that are not among the programs."""
    cleared: int = 0
    """Retraces of the function after its cache was cleared."""
    _compared: KeyTable | None = None

    def compared(self) -> KeyTable:
        """The programs side by side."""
        if self._compared is None or len(self._compared.rows) < len(self.programs):
            self._compared = compare_keys(self.programs)
        return self._compared

    def row_of(self, call: Trace) -> int | None:
        """The row of the program that a call found, the latest of several; None if no program fits
        the call."""
        for row in reversed(range(len(self.programs))):
            program = self.programs[row]
            if program.identity == call.identity and program.signature == call.signature:
                return row
        return None

    def is_informative(self) -> bool:
        """True if there is anything to compare."""
        return len(self.programs) > 1 or any(one.call.end == "hit" for one in self.calls)

    def is_whole(self) -> bool:
        """True if the calls of all programs are known. Then a call that equals none of them found a
        program that was traced earlier."""
        return not self.omitted and all(map(_has_call, self.programs))

    def lines(self) -> list[CacheCall]:
        """The calls in order. Equal consecutive calls are one."""
        calls = [one.call for one in sorted(self.calls, key=attrgetter("at"))]
        return [replace(call, times=len([*same])) for call, same in groupby(calls)]


def _has_call(program: CachedProgram) -> bool:
    """True if the program's signature is that of a call, not of a jaxpr only."""
    signature = program.signature
    if program.identity is None or signature is None:
        return False
    return bool(signature.style) or not signature.leaves


class CacheTables:
    """Cache keys of the first traces of each function. Others are counted."""

    def __init__(self) -> None:
        self._functions: dict[Function, FunctionPrograms] = {}
        self._room = PROGRAMS_IN_ALL
        self._lock = RLock()

    def __getstate__(self) -> tuple[dict[Function, FunctionPrograms], int]:
        return self._functions, self._room

    def __setstate__(self, state: tuple[dict[Function, FunctionPrograms], int]) -> None:
        self.__init__()
        self._functions, self._room = state

    def add(self, event: Event, trace: Trace) -> None:
        """Stores a trace that made a program, while there is room, and a compilation without a
        trace."""
        if event.error is not None:
            return
        with self._lock:
            entry = self._functions.setdefault((event.name, event.definition), FunctionPrograms())
            if event.kind == "trace":
                self._add_trace(entry, event, trace)
            elif event.kind == "compile" and event.again:
                rows = [one.number for one in entry.programs]
                if event.of in rows:
                    _note(entry, event.start, rows.index(event.of), event.site, "compiled again")

    def _add_trace(self, entry: FunctionPrograms, event: Event, trace: Trace) -> None:
        entry.cleared += any(change.kind == "cleared" for change in event.reason)
        program = CachedProgram(
            event.number, event.site, trace.identity, trace.signature, entry.cleared
        )
        row = self._add(entry, program)
        if row is None:
            entry.omitted += 1
        else:
            end = "traced earlier" if event.looked else "miss"
            _note(entry, event.start, row, event.site, end)

    def add_hit(self, call: Trace) -> None:
        """Stores a call that JAX's caches answered, if its program is known."""
        with self._lock:
            entry = self._functions.setdefault(
                (call.function.name, call.definition), FunctionPrograms()
            )
            row = entry.row_of(call)
            if row is None and call.identity is not None and entry.is_whole():
                row = self._add(
                    entry, CachedProgram(None, None, call.identity, call.signature, None)
                )
            if row is not None:
                _note(entry, call.start, row, call.site, "hit", call.narrowed)

    def _add(self, entry: FunctionPrograms, program: CachedProgram) -> int | None:
        """The row of a new program; None if there is no room."""
        if not self._room or len(entry.programs) >= PROGRAMS:
            return None
        self._room -= 1
        entry.programs.append(program)
        return len(entry.programs) - 1

    def named(
        self, name: str, functions: Sequence[schema.Function], definition: Frame | None = None
    ) -> CacheTable:
        """The programs of the function with this name; of several functions, that with this
        definition, else the latest. `functions` has the counts of each. Raises ValueError if none
        of this name was called."""
        with self._lock:
            found = [function for function in self._functions if function[0] == name]
            found.sort(key=lambda function: function[1] == definition)
            if not found:
                others = ", ".join(dict.fromkeys(name for name, _ in self._functions)) or "none"
                raise ValueError(f"no function named {name} was traced, but {others}.")
            return self._table(found[-1], functions)

    def tables(self, functions: Sequence[schema.Function]) -> list[CacheTable]:
        """The tables of a page: the first functions with several programs, or with cached
        calls."""
        with self._lock:
            shown = [name for name, entry in self._functions.items() if entry.is_informative()]
            return [self._table(function, functions) for function in shown[:TABLES_SHOWN]]

    def _table(self, function: Function, functions: Sequence[schema.Function]) -> CacheTable:
        entry = self._functions[function]
        found = entry.compared()
        counted = [one.hits for one in functions if (one.name, one.definition) == function]
        return CacheTable(
            name=function[0],
            definition=function[1],
            columns=found.columns,
            more=found.more,
            rows=found.rows,
            calls=entry.lines(),
            hits=sum(counted[0]) if counted and counted[0] is not None else None,
            omitted=entry.omitted,
        )


def _note(
    entry: FunctionPrograms, at: float, row: int, site: Frame | None, end: str, narrowed: Words = ""
) -> None:
    if len(entry.calls) < CALLS:
        call = CacheCall(row=row, end=end, site=site, times=1, narrowed=narrowed)
        entry.calls.append(TimedCall(at, call))
