"""What is counted of all events, whether they are kept or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from jaxviz.capture.events import Apart, Called
from jaxviz.schema import Cause, Change, Event, Frame, Function, Totals, Variant
from jaxviz.session.ops import Ops
from jaxviz.session.slices import Slices

CAUSES = 2_000
"""Causes that are told apart; of later ones those of one function are one, without a reason."""
VALUES = 12
"""Reasons that are listed of one cause: the first."""
FOLLOWED = 10_000
"""Traces whose lowerings and compilations are still expected: the latest."""

Why = tuple[int, str, tuple[tuple[str, str], ...]]
"""The function, the kind of event, and the kinds and places of its changes."""

_FIELDS = {"trace": "traces", "lower": "lowerings", "compile": "compiles"}
_AGAIN = {"trace": "retraces", "lower": "relowerings", "compile": "recompiles"}


class Counts:
    """Each function, each cause, and JAX's own functions in total."""

    def __init__(self, hits: bool) -> None:
        self._slices = Slices() if hits else None
        self._functions: list[Function] = []
        self._numbers: dict[tuple[str, Frame | None], int] = {}
        self._causes: list[Cause] = []
        self._whys: dict[Why, int] = {}
        self._traces: dict[int, int] = {}
        """The cause of a trace, by its number."""
        self.apart = Totals(traces=0, lowerings=0, compiles=0, seconds=0.0)
        self.ops = Ops()

    def functions(self) -> Sequence[Function]:
        """In the order in which they were met."""
        if self._slices is None:
            return tuple(self._functions)
        rows = map(self._slices.row, range(len(self._functions)))
        return tuple(replace(f, hits=row) for f, row in zip(self._functions, rows, strict=True))

    @property
    def slice(self) -> float:
        """Seconds of a slice of `Function.hits`; 0 where they are not counted."""
        return 0.0 if self._slices is None else self._slices.width

    def causes(self) -> Sequence[Cause]:
        """Those that took longest first."""
        return sorted(self._causes, key=lambda cause: -cause.seconds)

    def again(self) -> int:
        """How often functions were made again."""
        return sum(map(again, self._functions))

    def add(self, event: Event) -> None:
        number = self._function(event.name, event.definition)
        self._functions[number] = _counted(self._functions[number], event)
        if event.again:
            self._count_cause(event, number)
        elif event.of is not None:
            self._count_following(event, event.of)

    def add_apart(self, apart: Apart) -> None:
        field = _FIELDS[apart.kind]
        counts = {field: getattr(self.apart, field) + 1}
        self.apart = replace(self.apart, seconds=self.apart.seconds + apart.seconds, **counts)
        self.ops.add(apart)

    def add_hits(self, called: Called, at: float) -> None:
        """Calls that JAX's caches knew, so many seconds after the log's start."""
        if self._slices is not None:
            number = self._function(called.name, called.definition)
            self._slices.add(number, at, called.times)

    def _function(self, name: str, definition: Frame | None) -> int:
        number = self._numbers.setdefault((name, definition), len(self._functions))
        if number == len(self._functions):
            self._functions.append(_met(name, definition))
        return number

    def _count_cause(self, event: Event, function: int) -> None:
        number, told = self._cause(event, function)
        known = self._causes[number]
        self._causes[number] = replace(
            known,
            times=known.times + 1,
            seconds=known.seconds + event.seconds,
            last=event.number,
            **told,
        )
        if event.kind == "trace":
            self._traces[event.number] = number
            if len(self._traces) > FOLLOWED:
                del self._traces[next(iter(self._traces))]

    def _cause(self, event: Event, function: int) -> tuple[int, dict[str, Any]]:
        """The number of its cause, and what that tells: the changes of the latest, among all."""
        why = (function, event.kind, tuple((change.kind, change.where) for change in event.reason))
        if why not in self._whys and len(self._whys) >= CAUSES:
            why = (function, event.kind, ())
        number = self._whys.setdefault(why, len(self._causes))
        if number == len(self._causes):
            self._causes.append(_cause(event, function))
        known = self._causes[number]
        if not why[-1]:
            return number, {"others": known.others + 1}
        values, others = _with(known.values, event.reason)
        return number, {
            "reason": event.reason,
            "values": values,
            "others": known.others + others,
            "more": event.more,
            "hint": event.hint or known.hint,
        }

    def _count_following(self, event: Event, trace: int) -> None:
        number = self._traces.get(trace)
        if number is not None:
            cause = self._causes[number]
            self._causes[number] = replace(cause, seconds=cause.seconds + event.seconds)


def _with(values: list[Variant], reason: list[Change]) -> tuple[list[Variant], int]:
    """The reasons with one more, and 1 where that is one that is not listed."""
    for at, value in enumerate(values):
        if value.reason == reason:
            return [*values[:at], replace(value, times=value.times + 1), *values[at + 1 :]], 0
    if len(values) >= VALUES:
        return values, 1
    return [*values, Variant(reason=reason, times=1)], 0


def again(function: Function) -> int:
    """How often a function was made again: traced, or lowered and compiled without a trace, which
    count once. All that tells how often counts by this, on the page `againOf`."""
    return function.retraces + max(function.relowerings, function.recompiles)


def _met(name: str, definition: Frame | None) -> Function:
    return Function(
        name=name,
        definition=definition,
        traces=0,
        retraces=0,
        lowerings=0,
        relowerings=0,
        compiles=0,
        recompiles=0,
        seconds=0.0,
        reason=[],
        hint="",
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
        hint="",
        times=0,
        seconds=0.0,
        first=event.number,
        last=event.number,
    )
