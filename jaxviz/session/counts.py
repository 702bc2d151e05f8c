"""Counts all events by function and by cause, in bounded memory.

A cause is a set of changes, of the same kinds at the same places, for which a function was traced,
lowered or compiled again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture.events import CallCount
from jaxviz.schema import (
    Cause,
    Change,
    Event,
    Frame,
    Function,
    Sentence,
    Totals,
    Variant,
    literal,
)
from jaxviz.schema.signature import Trace
from jaxviz.sentences import joined
from jaxviz.session.op_counts import OpCounts, sums
from jaxviz.session.over_time import CountsOverTime

CAUSES_APART = 2_000
"""The most causes that are counted separately. Later ones of one function are counted as one,
without a reason."""
VARIANTS_LISTED = 12
"""The most reasons that are listed for one cause: the first ones."""
MOST_HINTS = 3
"""About this many hints are joined for one cause; then the latest one replaces them."""
_OF_VALUES = frozenset(("dtype", "static", "weak type"))
"""Kinds of changes whose hint depends only on the two values, or on where a value is made."""
TRACES_FOLLOWED = 10_000
"""The most traces whose lowerings and compilations are still expected: the latest."""
FUNCTIONS_SHOWN = 500
"""The most functions that a page draws."""
CAUSES_SHOWN = 200
"""The most causes that a page draws."""

CauseKey = tuple[int, str, tuple[tuple[str, str], ...]]
"""The function, the kind of event, and the kinds and places of its changes."""

_FIELDS = {"trace": "traces", "lower": "lowerings", "compile": "compiles"}
_AGAIN = {"trace": "retraces", "lower": "relowerings", "compile": "recompiles"}


class Counts:
    """Counts of each function, of each cause, and of JAX's own functions in total."""

    def __init__(self, hits: bool) -> None:
        self._hits = CountsOverTime() if hits else None
        self._functions: list[Function] = []
        self._numbers: dict[tuple[str, Frame | None], int] = {}
        self._causes: list[Cause] = []
        self._cause_numbers: dict[CauseKey, int] = {}
        self._cause_of_trace: dict[int, int] = {}
        """The number of a trace's cause, by the number of its event."""
        self.apart = Totals(traces=0, lowerings=0, compiles=0, seconds=0.0)
        self.ops = OpCounts()

    def functions(self) -> Sequence[Function]:
        """Counts of each function, in the order of first sight."""
        if self._hits is None:
            return tuple(self._functions)
        rows = map(self._hits.row, range(len(self._functions)))
        return tuple(replace(f, hits=row) for f, row in zip(self._functions, rows, strict=True))

    @property
    def slice(self) -> float:
        """Seconds of a slice of `Function.hits`; 0 if cached calls are not counted."""
        return 0.0 if self._hits is None else self._hits.width

    def causes(self) -> Sequence[Cause]:
        """Causes, the longest first."""
        return sorted(self._causes, key=lambda cause: -cause.seconds)

    def repeats(self) -> Repeats:
        return repeats_in(self._functions)

    def add(self, event: Event) -> None:
        """Counts an event."""
        number = self._function(event.name, event.definition, event.library)
        self._functions[number] = _counted(self._functions[number], event)
        if event.again:
            self._count_cause(event, number)
        elif event.of is not None:
            self._count_following(event, event.of)

    def add_internal(self, apart: Trace) -> None:
        """Counts a trace, lowering or compilation of one of JAX's own functions."""
        field = _FIELDS[apart.kind]
        counts = {field: getattr(self.apart, field) + 1}
        self.apart = replace(self.apart, seconds=self.apart.seconds + apart.seconds, **counts)
        self.ops.add(apart)

    def add_hits(self, called: CallCount, at: float) -> None:
        """Counts calls that JAX's caches answered, `at` seconds after the log's start."""
        if self._hits is not None:
            number = self._function(called.name, called.definition, False)
            self._hits.add(number, at, called.times)

    def _function(self, name: str, definition: Frame | None, library: bool) -> int:
        number = self._numbers.setdefault((name, definition), len(self._functions))
        if number == len(self._functions):
            self._functions.append(_new_function(name, definition, library))
        return number

    def _count_cause(self, event: Event, function: int) -> None:
        number, fields = self._cause(event, function)
        cause = self._causes[number]
        self._causes[number] = replace(
            cause,
            times=cause.times + 1,
            seconds=cause.seconds + event.seconds,
            last=event.number,
            **fields,
        )
        if event.kind == "trace":
            self._cause_of_trace[event.number] = number
            if len(self._cause_of_trace) > TRACES_FOLLOWED:
                del self._cause_of_trace[next(iter(self._cause_of_trace))]

    def _cause(self, event: Event, function: int) -> tuple[int, dict[str, Any]]:
        """The number of an event's cause, and the cause's fields that the event changes."""
        key = (function, event.kind, tuple((change.kind, change.where) for change in event.reason))
        if key not in self._cause_numbers and len(self._cause_numbers) >= CAUSES_APART:
            key = (function, event.kind, ())
        number = self._cause_numbers.setdefault(key, len(self._causes))
        if number == len(self._causes):
            self._causes.append(_cause(event, function))
        cause = self._causes[number]
        if not key[-1]:
            return number, {"others": cause.others + 1}
        values, others = _with_variant(cause.values, event.reason)
        return number, {
            "reason": event.reason,
            "values": values,
            "others": cause.others + others,
            "more": event.more,
            "hint": _with_hint(cause.hint, event),
        }

    def _count_following(self, event: Event, trace: int) -> None:
        """Adds the time of a lowering or compilation to the cause of its trace."""
        number = self._cause_of_trace.get(trace)
        if number is not None:
            cause = self._causes[number]
            self._causes[number] = replace(cause, seconds=cause.seconds + event.seconds)


def _with_hint(hint: Sentence, event: Event) -> Sentence:
    """A cause's hints with the hint of one more event. A later hint on sizes or functions is based
    on more calls, and replaces the earlier one."""
    kinds = {change.kind for change in event.reason}
    if not hint.text or event.hint.text in hint.text:
        return hint if hint.text else event.hint
    if kinds <= _OF_VALUES and hint.text.count("; ") < MOST_HINTS:
        return joined([hint, event.hint])
    return event.hint


def _with_variant(values: list[Variant], reason: list[Change]) -> tuple[list[Variant], int]:
    """The reasons of a cause with one more; and 1 if there was no room to list it, else 0."""
    for at, value in enumerate(values):
        if value.reason == reason:
            return [*values[:at], replace(value, times=value.times + 1), *values[at + 1 :]], 0
    if len(values) >= VARIANTS_LISTED:
        return values, 1
    return [*values, Variant(reason=reason, times=1)], 0


class Repeats(NamedTuple):
    """Numbers of retraces, and of compilations and mere lowerings without a trace."""

    retraces: int = 0
    recompiled: int = 0
    relowered: int = 0


def repeats_in(functions: Iterable[Function]) -> Repeats:
    """The repeats of functions. A lowering and its compilation count as one. All counts use this;
    on the page it is `repeatsIn`."""
    total = Repeats()
    for one in functions:
        relowered = max(0, one.relowerings - one.recompiles)
        own = (one.retraces, one.recompiles, relowered)
        total = Repeats(*map(add, total, own))
    return total


def _new_function(name: str, definition: Frame | None, library: bool = False) -> Function:
    return Function(
        name=name,
        definition=definition,
        library=library,
        traces=0,
        retraces=0,
        lowerings=0,
        relowerings=0,
        compiles=0,
        recompiles=0,
        seconds=0.0,
        reason=[],
        hint=literal(""),
        hits=None,
    )


def _counted(function: Function, event: Event) -> Function:
    fields = [_FIELDS[event.kind], *([_AGAIN[event.kind]] if event.again else [])]
    counts = {field: getattr(function, field) + 1 for field in fields}
    why = {"reason": event.reason, "hint": event.hint} if event.again else {}
    return replace(function, seconds=function.seconds + event.seconds, **counts, **why)


def _cause(event: Event, function: int) -> Cause:
    return Cause(
        function=function,
        kind=event.kind,
        reason=[],
        values=[],
        others=0,
        more=0,
        hint=literal(""),
        times=0,
        seconds=0.0,
        first=event.number,
        last=event.number,
    )


def shown_on_page(
    functions: Sequence[Function], causes: Sequence[Cause]
) -> tuple[list[Function], list[Cause]]:
    """The functions and causes that a page draws; if there are too many, the longest.

    The other functions are summed up in one, the last. The causes have the functions' new indices.
    """
    listed = list(causes[:CAUSES_SHOWN])
    if len(functions) <= FUNCTIONS_SHOWN:
        return list(functions), listed
    longest = sorted(range(len(functions)), key=lambda i: -functions[i].seconds)
    shown, others = sorted(longest[: FUNCTIONS_SHOWN - 1]), longest[FUNCTIONS_SHOWN - 1 :]
    index = {number: i for i, number in enumerate(shown)}
    rest = _summed([functions[number] for number in others])
    renumbered = [replace(c, function=index.get(c.function, FUNCTIONS_SHOWN - 1)) for c in listed]
    return [*(functions[number] for number in shown), rest], renumbered


def _summed(functions: Sequence[Function]) -> Function:
    hits = [function.hits for function in functions if function.hits is not None]
    return replace(
        _new_function(f"… {len(functions):,} functions more", None),
        hits=[sum(slices) for slices in zip(*hits, strict=True)] if hits else None,
        **sums(functions, *_FIELDS.values(), *_AGAIN.values(), "seconds"),
    )
