"""The logs of a job's processes as one, for one timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.schema import CacheTable, Cause, Event, Function, Op, Totals
from jaxviz.sentences import sentence
from jaxviz.session.counts import shown_on_page
from jaxviz.session.log import EVENTS_SHOWN
from jaxviz.session.op_counts import sums

EVENTS_OF_JOB = 2 * EVENTS_SHOWN
"""The most events of all processes: the longest ones are shown."""

Named = TypeVar("Named", CacheTable, Event, Function, Op)


def merged(logs: Mapping[int, schema.Log]) -> schema.Log:
    """The logs of processes, by number, as one. Each function appears once for each process, with
    the number of the process after its name. The compile time is that of the slowest process."""
    first = min(log.start for log in logs.values())
    slice_ = max(log.slice for log in logs.values())
    functions, causes = list[Function](), list[Cause]()
    events, ops, caches = list[Event](), list[Op](), list[CacheTable]()
    number = 0
    for process, log in logs.items():
        causes += [_moved(cause, number, len(functions)) for cause in log.causes]
        counted = [_rebinned(one, log, first, slice_) for one in log.functions]
        functions += [_of(process, one) for one in counted]
        events += [_of(process, _renumbered(event, number)) for event in log.events]
        ops += [_of(process, op) for op in log.ops]
        caches += [_of(process, _of_job(table, number)) for table in log.caches]
        number += max(_numbers(log), default=0) + 1
    apart = sums([log.apart for log in logs.values()], *Totals.__struct_fields__)
    longest = sorted(events, key=lambda one: -one.seconds)[:EVENTS_OF_JOB]
    shown_functions, shown_causes = shown_on_page(functions, sorted(causes, key=_seconds))
    return schema.Log(
        version=schema.VERSION,
        jax=", ".join({log.jax: None for log in logs.values()}),
        start=first,
        seconds=max(log.start + log.seconds for log in logs.values()) - first,
        running=any(log.running for log in logs.values()),
        making=max(log.making for log in logs.values()),
        functions=shown_functions,
        causes=shown_causes,
        events=sorted(longest, key=lambda one: one.start + one.seconds),
        omitted=sum(log.omitted for log in logs.values()) + len(events) - len(longest),
        apart=Totals(**apart),
        ops=ops,
        caches=caches,
        predict=False,
        slice=slice_,
        error=next((log.error for log in logs.values() if log.error), None),
        notes=[sentence("clocks"), *{note: None for log in logs.values() for note in log.notes}],
        profile=None,
    )


def _of(process: int, one: Named) -> Named:
    return replace(one, name=f"{one.name} · process {process}")


def _seconds(cause: Cause) -> float:
    return -cause.seconds


def _numbers(log: schema.Log) -> Iterator[int]:
    """The numbers of all events that the log refers to."""
    for event in log.events:
        yield from (one for one in (event.number, event.of, event.against) if one is not None)
    for cause in log.causes:
        yield from (cause.first, cause.last)


def _renumbered(event: Event, by: int) -> Event:
    return replace(
        event,
        number=event.number + by,
        of=None if event.of is None else event.of + by,
        against=None if event.against is None else event.against + by,
    )


def _of_job(table: CacheTable, by: int) -> CacheTable:
    rows = [
        replace(row, number=None if row.number is None else row.number + by) for row in table.rows
    ]
    return replace(table, rows=rows)


def _moved(cause: Cause, by: int, functions: int) -> Cause:
    return replace(
        cause, function=cause.function + functions, first=cause.first + by, last=cause.last + by
    )


def _rebinned(one: Function, log: schema.Log, first: float, slice_: float) -> Function:
    """The function with its hits in slices of the job's time. All hits of a slice of the process
    are at the slice's middle."""
    if one.hits is None:
        return one
    middles = [log.start - first + (at + 0.5) * log.slice for at in range(len(one.hits))]
    places = [int(middle / slice_) for middle in middles]
    hits = [0] * (max(places, default=-1) + 1)
    for place, count in zip(places, one.hits, strict=True):
        hits[place] += count
    return replace(one, hits=hits)
