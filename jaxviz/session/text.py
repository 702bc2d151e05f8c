"""A log in text: what `print(log)` shows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from jaxviz.analysis.hints import told
from jaxviz.schema import Event, Frame
from jaxviz.session.counts import Function, Totals

WIDTH = 100
LINES = 40
FUNCTIONS = 12
"""Functions that get a line each."""

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def overview(
    events: Sequence[Event], functions: Sequence[Function], apart: Totals, omitted: int
) -> str:
    """At most 40 lines of 100 columns: totals, each function, and why it was made again."""
    lines = [_totals(functions), *_functions(functions)]
    foot = _apart(apart)
    if omitted:
        foot.insert(0, f"{omitted:,} events more were counted, and not kept")
    room = LINES - len(lines) - len(foot) - 1
    reasons = [line for told in _grouped(events) for line in told]
    if len(reasons) > room:
        reasons = [*reasons[: room - 1], f"… {len(reasons) - room + 1:,} lines more"]
    lines += ["", *reasons] if reasons else []
    return "\n".join(_cut(line) for line in [*lines, *foot])


def _grouped(events: Sequence[Event]) -> Iterator[list[str]]:
    """Each reason once, with how often and how long, those that took longest first."""
    groups: dict[tuple[str, str], list[float]] = {}
    after = _after(events)
    for event in events:
        if event.again or event.error is not None:
            spent = event.seconds + after[event.number]
            groups.setdefault(_reason(event), []).append(spent)
    for (reason, hint), spent in sorted(groups.items(), key=lambda item: -sum(item[1])):
        times = f", {len(spent):,} times" if len(spent) > 1 else ""
        line = f"{reason}{times}" + (f", {_seconds(sum(spent))}" if sum(spent) else "")
        if hint and len(line) + len(hint) + 2 <= WIDTH:
            yield [f"{line}: {hint}"]
        else:
            yield [line, f"    {hint}"] if hint else [line]


def _after(events: Sequence[Event]) -> Mapping[int, float]:
    """Of each trace, the seconds of the lowering and compilation that followed it."""
    seconds: defaultdict[int, float] = defaultdict(float)
    for event in events:
        if event.of is not None and not event.again:
            seconds[event.of] += event.seconds
    return seconds


def _totals(functions: Sequence[Function]) -> str:
    traces = sum(function.traces for function in functions)
    retraces = sum(function.retraces for function in functions)
    compiles = sum(function.compiles for function in functions)
    seconds = sum(function.seconds for function in functions)
    if not functions:
        return "Nothing was traced, lowered or compiled."
    return (
        f"{_count(traces, 'trace')}, {_count(retraces, 'retrace')} among them, "
        f"{_count(compiles, 'compilation')}: {_seconds(seconds)}"
    )


def _functions(functions: Sequence[Function]) -> list[str]:
    """The functions that took longest first."""
    ordered = sorted(functions, key=lambda function: -function.seconds)
    lines = [_function(function) for function in ordered[:FUNCTIONS]]
    if len(ordered) > FUNCTIONS:
        lines.append(f"  … {len(ordered) - FUNCTIONS:,} functions more")
    return lines


def _function(function: Function) -> str:
    counts = [
        _with(function.traces, "trace", function.retraces, "again"),
        _with(function.lowerings, "lowering", function.relowerings, "again"),
        _with(function.compiles, "compilation", function.recompiles, "again"),
    ]
    where = f"  {function.name} ({_at(function.definition)})"
    return f"{where}: {', '.join(counts)}; {_seconds(function.seconds)}"


def _with(number: int, noun: str, again: int, word: str) -> str:
    return _count(number, noun) + (f" ({again:,} {word})" if again else "")


def _reason(event: Event) -> tuple[str, str]:
    """`step: x: f32[8→5, 32] at train.py:12`, and what to do about it."""
    if event.error is not None:
        return f"{event.name}: {event.kind} failed with {event.error} at {_at(event.site)}", ""
    what = {"trace": "", "lower": " lowered again", "compile": " compiled again"}[event.kind]
    why = told(event.reason) + (f"; {event.more} more" if event.more else "")
    return f"{event.name}{what}: {why} at {_at(event.site)}", event.hint


def _apart(apart: Totals) -> list[str]:
    if not (apart.traces or apart.compiles):
        return []
    counts = f"{_count(apart.traces, 'trace')}, {_count(apart.compiles, 'compilation')}"
    return [f"(JAX's own functions, apart: {counts}, {_seconds(apart.seconds)})"]


def _at(frame: Frame | None) -> str:
    return "an unknown line" if frame is None else f"{frame.file}:{frame.line}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _seconds(seconds: float) -> str:
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.1f} s"


def _cut(line: str) -> str:
    line = _UNSAFE.sub("�", line)
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
