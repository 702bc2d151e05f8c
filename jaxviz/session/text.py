"""A log in text: what `print(log)` shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    reasons = [_reason(event) for event in events if _is_told(event)]
    if omitted:
        reasons.append(f"{omitted:,} events more were counted and not kept")
    foot = _apart(apart)
    room = LINES - len(lines) - len(foot) - 1
    if len(reasons) > room:
        reasons = [f"… {len(reasons) - room + 1:,} earlier ones", *reasons[1 - room :]]
    lines += ["", *reasons] if reasons else []
    return "\n".join(_cut(line) for line in [*lines, *foot])


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


def _is_told(event: Event) -> bool:
    return event.again or event.error is not None


def _reason(event: Event) -> str:
    """`step: x: f32[8→5, 32] at train.py:12, 0.4 s: pad the last batch`."""
    what = {"trace": "", "lower": " lowered again", "compile": " compiled again"}[event.kind]
    why = told(event.reason) + (f"; {event.more} more" if event.more else "")
    line = f"{event.name}{what}: {why} at {_at(event.site)}, {_seconds(event.seconds)}"
    if event.error is not None:
        return f"{event.name}: {event.kind} failed with {event.error} at {_at(event.site)}"
    return f"{line}: {event.hint}" if event.hint else line


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
