"""Writes a log as text, for `print(log)`, and its events as rows, for a data frame."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from jaxviz.analysis.retraces import cause_text, reason_text
from jaxviz.analysis.retraces.retrace_texts import is_chain
from jaxviz.schema import Cause, CellTimes, Event, Frame, Function, Log, Op, PythonLoop, RanProgram
from jaxviz.sentences.amounts import count_text, seconds_text

MOST_COLUMNS = 100
MOST_LINES = 40
FUNCTION_LINES = 12
"""The most functions that get a line."""
OP_LINES = 8
"""The most ops that get a line."""
VARIANT_LINES = 4
"""The most reasons of one cause that get a line."""

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)

_WHOLE = re.compile(r"\[[^\[\]]*\]|\d (?=\w)")
_NO_BREAK = "\x1f"
"""Replaces a space at which a line is not broken. No line contains it (`_UNSAFE`)."""


def overview(log: Log, omitted: int) -> str:
    """At most 40 lines, wrapped at 100 columns: totals, each function, why it was made again, the
    ops compiled one by one, and omissions. `omitted` is the number of events that the log lacks."""
    lines = [_totals(log), *(cell_times_text(log.profile) if log.profile else [])]
    lines += _functions(log.functions)
    foot = [*_ops(log.ops), *_apart(log), *map(str, log.notes)]
    if omitted:
        foot.insert(0, f"{omitted:,} events more were counted, and not kept")
    room = MOST_LINES - len(lines) - len(foot) - 1
    reasons = [*_causes(log), *_failures(log), *_traced_by_jaxviz(log), *_narrowed(log)]
    reasons += (f"{one.what}: {one.fix}" for one in log.findings)
    if len(reasons) > room:
        reasons = [*reasons[: room - 1], f"… {len(reasons) - room + 1:,} lines more"]
    lines += ["", *reasons] if reasons else []
    return "\n".join(part for line in [*lines, *foot] for part in _wrapped(line))


def _totals(log: Log) -> str:
    traces = sum(function.traces for function in log.functions)
    retraces = sum(function.retraces for function in log.functions if not function.library)
    others = sum(function.retraces for function in log.functions if function.library)
    compiles = sum(function.compiles for function in log.functions)
    if not any(f.traces or f.lowerings or f.compiles for f in log.functions):
        if log.ops or log.apart.traces or log.apart.compiles:
            return "No function of yours was traced or compiled anew."
        return "Nothing new was traced or compiled."
    return (
        f"{count_text(traces, 'trace')}, {count_text(retraces, 'retrace')} among them"
        f"{f' and {others:,} of libraries' if others else ''}, "
        f"{count_text(compiles, 'compilation')}: "
        f"{seconds_text(log.making)} of {seconds_text(log.seconds)}"
    )


def _causes(log: Log) -> Iterator[str]:
    """Each cause with its count, its time and advice: `step: x: f32[8→5, 32] at train.py:12, 3
    times, 0.2 s: if this is a smaller last batch, pad it`."""
    sites = {event.number: event.site for event in log.events}
    for cause in log.causes:
        name = log.functions[cause.function].name
        what = {"trace": "", "lower": " lowered again", "compile": " compiled again"}[cause.kind]
        site = sites.get(cause.last) or sites.get(cause.first)
        where = "" if site is None else f" at {place(site)}"
        several = len(cause.values) > 1 and not is_chain(cause)
        why = _places(cause) if several else cause_text(cause) or "for other reasons"
        why += f"; {cause.more} more" if cause.more else ""
        line = f"{name}{what}: {why}{where}{_times(cause.times)}, {seconds_text(cause.seconds)}"
        hint = cause.hint.text
        if hint and len(line) + len(hint) + 2 <= MOST_COLUMNS:
            line, hints = f"{line}: {hint}", list[str]()
        else:
            hints = [f"    {hint}"] if hint else []
        yield from (line, *hints, *(_values(cause) if several else ()))


def _places(cause: Cause) -> str:
    """Places of the changes, for a cause with several listed changes."""
    places = dict.fromkeys(change.where or change.kind for change in cause.reason)
    return f"{', '.join(places)} changed"


def _values(cause: Cause) -> Iterator[str]:
    """A line for each listed change of a cause, with its count."""
    for value in cause.values[:VARIANT_LINES]:
        yield f"    {reason_text(value.reason)}{_times(value.times)}"
    rest = cause.others + sum(value.times for value in cause.values[VARIANT_LINES:])
    if rest:
        yield f"    and {rest:,} more, the latest {reason_text(cause.reason)}"


def _failures(log: Log) -> Iterator[str]:
    """The events that failed, by the line that failed."""
    failed = Counter(
        f"{event.name}: {event.kind} {_ended(event.error)} at {place(event.failed or event.site)}"
        for event in log.events
        if event.error is not None
    )
    for line, times in failed.items():
        yield line + _times(times)


def _ended(error: str) -> str:
    return "was interrupted" if error == "KeyboardInterrupt" else f"failed with {error}"


def _traced_by_jaxviz(log: Log) -> Iterator[str]:
    """Traces that a call did not need, because jaxviz had made them to show the function."""
    for name, times in Counter(event.name for event in log.events if event.looked).items():
        yield f"{name}: traced earlier, when jaxviz showed it{_times(times)}"


def _narrowed(log: Log) -> Iterator[str]:
    """Cached calls that asked for a wider type than JAX gives, which is why a program existed."""
    for table in log.caches:
        for call in table.calls:
            if call.narrowed:
                site = "" if call.site is None else f" at {place(call.site)}"
                yield f"{table.name}: {call.narrowed}, so the call{site} found a program"


def _functions(functions: Sequence[Function]) -> list[str]:
    """A line for each function, the longest first."""
    ordered = sorted(functions, key=lambda function: -function.seconds)
    lines = [_function(function) for function in ordered[:FUNCTION_LINES]]
    if len(ordered) > FUNCTION_LINES:
        lines.append(f"  … {len(ordered) - FUNCTION_LINES:,} functions more")
    return lines


def _function(function: Function) -> str:
    library = ", library" if function.library else ""
    where = f"  {function.name} ({place(function.definition)}{library})"
    hits = [] if function.hits is None else [count_text(sum(function.hits), "cached call")]
    if not (function.traces or function.lowerings or function.compiles):
        return f"{where}: {hits[0]}" if hits else where
    counts = [
        _with(function.traces, "trace", function.retraces),
        _with(function.lowerings, "lowering", function.relowerings),
        _with(function.compiles, "compilation", function.recompiles),
        *hits,
    ]
    return f"{where}: {', '.join(counts)}; {seconds_text(function.seconds)}"


def _with(number: int, noun: str, again: int) -> str:
    repeated = count_text(again, "retrace") if noun == "trace" else f"{again:,} repeated"
    return count_text(number, noun) + (f" ({repeated})" if again else "")


def _ops(ops: Sequence[Op]) -> list[str]:
    """A line for each op that was compiled op by op, the longest first."""
    if not ops:
        return []
    seconds, compiles = sum(op.seconds for op in ops), sum(op.compiles for op in ops)
    ordered = sorted(ops, key=lambda op: -op.seconds)
    lines = [
        f"  {op.name}{'' if op.site is None else f' at {place(op.site)}'}: "
        f"{count_text(op.compiles, 'compilation')}{_varieties(op)}, {seconds_text(op.seconds)}"
        for op in ordered[:OP_LINES]
    ]
    if len(ordered) > OP_LINES:
        more, took = (
            sum(part)
            for part in zip(*((o.compiles, o.seconds) for o in ordered[OP_LINES:]), strict=True)
        )
        lines.append(f"  … {count_text(int(more), 'compilation')} more, {seconds_text(took)}")
    head = f"Op by op, outside jit: {count_text(compiles, 'compilation')}, {seconds_text(seconds)}"
    return ["", f"{head} (on its first run; repeats are not recorded)", *lines]


def _varieties(op: Op) -> str:
    """The reasons why an op was compiled several times: ` (5 shapes, 2 dtypes)`."""
    found = ", ".join(count_text(one.count, one.kind) for one in op.reason)
    return f" ({found})" if found else ""


def _apart(log: Log) -> list[str]:
    """Counts of traces and compilations of JAX's and libraries' functions, except ops."""
    traces = log.apart.traces - sum(op.traces for op in log.ops)
    compiles = log.apart.compiles - sum(op.compiles for op in log.ops)
    counts = [
        count_text(number, noun)
        for number, noun in ((traces, "trace"), (compiles, "compilation"))
        if number > 0
    ]
    return [f"({' and '.join(counts)} within JAX and libraries)"] if counts else []


def place(frame: Frame | None) -> str:
    """The line of a trace."""
    return "an unknown line" if frame is None else f"{frame.file}:{frame.line}"


def _times(times: int) -> str:
    return f", {times:,} times" if times > 1 else ""


def _wrapped(line: str) -> list[str]:
    """The line, wrapped between words if it is too long. Brackets and their contents, as in
    `params['a b']` and `f32[8, 4]`, stay on one line, and a number with its noun."""
    line = _UNSAFE.sub("�", line)
    if len(line) <= MOST_COLUMNS:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    whole = _WHOLE.sub(lambda found: found[0].replace(" ", _NO_BREAK), line)
    lines = textwrap.wrap(
        whole,
        MOST_COLUMNS,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace(_NO_BREAK, " ") for part in lines]


def row(event: Event) -> dict[str, Any]:
    """One event as a row: its first change in columns of its own, and all changes as one text."""
    first = event.reason[0] if event.reason else None
    return {
        "number": event.number,
        "kind": event.kind,
        "function": event.name,
        "definition": _line(event.definition),
        "site": _line(event.site),
        "start": event.start,
        "seconds": event.seconds,
        "eqns": event.eqns,
        "again": event.again,
        "of": event.of,
        "against": event.against,
        "implied": event.implied,
        "looked": event.looked,
        "change": None if first is None else first.kind,
        "where": None if first is None else first.where,
        "before": None if first is None else str(first.before),
        "after": None if first is None else str(first.after),
        "reason": reason_text(event.reason),
        "hint": event.hint.text,
        "cached": event.cached,
        "error": event.error,
        "failed": _line(event.failed),
        "depth": event.depth,
        "thread": event.thread,
    }


def _line(frame: Frame | None) -> str | None:
    return None if frame is None else place(frame)


PROGRAM_LINES = 8
"""The most programs of a profiled cell that get a line."""
_ENDED = {
    "time": "after 10 s",
    "events": "after 200,000 events",
    "memory": "after 200 MB of memory",
}


def cell_times_text(times: CellTimes) -> list[str]:
    """The times as text: a line for the total, and one for each of the longest programs."""
    ended = f", then the profiler ended {_ENDED[times.ended]}" if times.ended else ""
    lines = [f"Profiled for {seconds_text(times.seconds)}{ended}:", f"  {_parts_text(times)}"]
    lines += [f"  {_program_line(one)}" for one in times.programs[:PROGRAM_LINES]]
    more = len(times.programs) - PROGRAM_LINES
    lines += [f"  … {more} programs more"] * (more > 0)
    return lines + [f"  {_loop_line(one)}" for one in times.loops]


def _loop_line(one: PythonLoop) -> str:
    return (
        f"{seconds_text(one.seconds)}  a Python loop at {place(one.site)} ran {one.programs:,} "
        f"programs outside jit; XLA ran for {seconds_text(one.running)} of it: use jax.jit"
    )


def _parts_text(times: CellTimes) -> str:
    """Parts of the time. Each later part excludes times of the parts before it."""
    parts = {
        "programs ran": times.running,
        "JAX traced and compiled": times.making,
        "arrays moved": times.moving,
        "Python and waiting": times.rest,
    }
    return ", else ".join(f"{seconds_text(took)} {what}" for what, took in parts.items() if took)


def _program_line(one: RanProgram) -> str:
    calls = calls_text(one)
    times = f"best {seconds_text(one.best)}, median {seconds_text(one.median)}"
    return f"{seconds_text(one.seconds)}  {one.name}, {calls}: {times}"


def calls_text(one: RanProgram) -> str:
    """The measured calls: `20 calls`, `calls 1-7,100 of 20,000`."""
    if one.of is None:
        return count_text(one.calls, "call")
    return f"calls 1-{one.calls:,} of {one.of:,}"
