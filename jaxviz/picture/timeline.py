"""The static picture of a log: what was traced, lowered and compiled, to scale, a line for each
function. As `js/src/view/log` draws it, where a script runs."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.picture.colours import DARK, LIGHT, Theme
from jaxviz.picture.layout.measure import SMALL, head, one_line

WIDTH, NAMES, LINE, TOP = 760, 250, 30, 22
"""Px: all of it, the part with the names, a function's line, and the line of times above all."""
MOST = 12
"""Functions that are drawn: those that took longest."""
NAME = 26
"""Columns of a name."""
BARS = 240
"""Events that are drawn: those that took longest."""
PAINTS = {"trace": "contraction", "lower": "control", "compile": "reduction"}
"""As what the kinds of events are coloured."""
INSET = {"trace": 8, "lower": 11, "compile": 8}
"""Px above and below a bar."""


def timeline(record: schema.Log) -> str:
    """An SVG of a log, on a ground of its own. Raises ValueError where it has no functions."""
    if not record.functions:
        raise ValueError("nothing was traced or compiled: there is nothing to draw.")
    longest = sorted(record.events, key=lambda one: one.seconds, reverse=True)
    record = replace(record, events=longest[:BARS])
    shown = sorted(record.functions, key=lambda one: one.seconds, reverse=True)[:MOST]
    shown = [one for one in record.functions if one in shown]
    said = _left_out(len(record.functions) - len(shown), len(longest) - BARS)
    height = TOP + LINE * len(shown) + (LINE if said else 6)
    size = f'width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {height}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="h" {size} rx="8"/>',
        *_legend(),
        *_times(record, height),
        *(part for at, one in enumerate(shown) for part in _line(record, one, TOP + LINE * at)),
    ]
    if said:
        parts.append(f'<text class="n" x="10" y="{height - 10}">{said}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _left_out(functions: int, events: int) -> str:
    """What is not drawn."""
    counts = [(functions, "function"), (events, "event")]
    more = [f"{count:,} {one}{'s' * (count > 1)}" for count, one in counts if count > 0]
    return f"not drawn: {' and '.join(more)} that took less" if more else ""


def _legend() -> Iterator[str]:
    for at, (kind, paint) in enumerate(PAINTS.items()):
        x = 10 + 72 * at
        yield f'<rect class="{paint}" x="{x}" y="6" width="9" height="9"/>'
        yield f'<text class="n" x="{x + 13}" y="14">{kind}</text>'


def _line(record: schema.Log, function: schema.Function, top: float) -> Iterator[str]:
    """A function's name and counts, and its events."""
    traces = f"{function.traces:,} trace{'' if function.traces == 1 else 's'}"
    again = f", {function.retraces:,} again" if function.retraces else ""
    yield f'<text x="10" y="{top + 19}">{escape(head(one_line(function.name), NAME))}</text>'
    yield f'<text class="n c" x="{NAMES - 10}" y="{top + 19}">{traces}{again}</text>'
    for event in record.events:
        if (event.name, event.definition) == (function.name, function.definition):
            yield from _bar(record, event, top)


def _bar(record: schema.Log, event: schema.Event, top: float) -> Iterator[str]:
    x, width = _x(record, event.start - record.start), _scale(record) * event.seconds
    inset = INSET[event.kind]
    yield (
        f'<rect class="{PAINTS[event.kind]}" x="{x:.1f}" y="{top + inset}" '
        f'width="{max(width, 1.5):.1f}" height="{LINE - 2 * inset}"/>'
    )
    if event.again:
        yield f'<path class="a" d="M{x - 3.5:.1f} {top + 2}h7l-3.5 5z"/>'


def _times(record: schema.Log, height: float) -> Iterator[str]:
    """The start, the middle and the end."""
    for part, side in ((0.0, "l"), (0.5, "m"), (1.0, "c")):
        x = _x(record, record.seconds * part)
        yield f'<path class="e" d="M{x:.1f} {TOP - 4}V{height - 6}"/>'
        yield f'<text class="n {side}" x="{x:.1f}" y="14">{_seconds(record.seconds * part)}</text>'


def _x(record: schema.Log, seconds: float) -> float:
    return NAMES + min(max(seconds, 0.0), record.seconds) * _scale(record)


def _scale(record: schema.Log) -> float:
    """Px of a second."""
    return (WIDTH - NAMES - 14) / max(record.seconds, 1e-6)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _theme(theme: Theme) -> str:
    bars = [f".{name}{{fill:{theme.paints[name][1]}}}" for name in PAINTS.values()]
    ground = f".h{{fill:{theme.ground};stroke:{theme.edge};stroke-opacity:.4}}"
    texts = f"text,.a{{fill:{theme.ink}}}.n{{fill:{theme.faint}}}"
    return "".join([ground, texts, f".e{{stroke:{theme.edge};stroke-opacity:.4}}", *bars])


_STYLE = (
    f"svg{{font:{SMALL + 1}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}}"
    ".n{font-size:11px}.c{text-anchor:end}.m{text-anchor:middle}"
    f"{_theme(LIGHT)}@media (prefers-color-scheme:dark){{{_theme(DARK)}}}"
)
