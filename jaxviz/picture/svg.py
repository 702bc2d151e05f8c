"""A frame as SVG: shapes, escaped text and a style of its own, nothing else."""

from __future__ import annotations

from itertools import pairwise
from xml.sax.saxutils import escape

from jaxviz.picture.family import COLOURS
from jaxviz.picture.frame import Cell, Frame, Line, count_of
from jaxviz.picture.layout.region.route import Point
from jaxviz.picture.measure import APART, FONT, FRAME_TITLE, MARGIN, text_width

WIDEST = 1000
HEADER = 34
"""Px of the line with the program's name."""

_FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_PAINT = "\n".join(
    f".{name}{{fill:{fill};stroke:{line}}}" for name, (fill, line) in COLOURS.items()
)
_STYLE = f"""
svg{{font:{FONT}px {_FONT}}}
text{{fill:#1c2024;text-anchor:middle}}
.n,.m{{fill:#5b6570}}
.m{{font-size:10px;font-style:italic}}
.t{{font-size:10px;fill:#5b6570;text-anchor:start;paint-order:stroke;stroke:#fff;stroke-width:3px}}
.h{{text-anchor:start}}
.c{{text-anchor:end}}
.b{{font-weight:bold}}
.g{{fill:#fff;stroke:#d5dae0}}
.r{{stroke:#e3e7eb}}
.e{{fill:none;stroke:#8f98a3}}
.a{{fill:#8f98a3}}
{_PAINT}
.o{{fill:#fff}}
""".strip()


def svg(frame: Frame, name: str, signature: str, count: str) -> str:
    """The picture of a program, under a line with its name; at most `WIDEST` px wide."""
    header = text_width(f"{name}{signature}{count}") + 4 * APART
    width = max(frame.w, header) + 2 * MARGIN
    height = frame.h + HEADER + 2 * MARGIN
    parts = _header(width, height, name, signature, count)
    waiting = [(frame, (width - frame.w) / 2, float(HEADER + MARGIN))]
    while waiting:
        inner, x, y = waiting.pop()
        parts += _frame(inner, x, y)
        waiting += [
            (cell.inner, x + cell.x, y + cell.y) for cell in inner.cells if cell.inner is not None
        ]
    return "\n".join([*filter(None, parts), "</svg>\n"])


def _header(width: float, height: float, name: str, signature: str, count: str) -> list[str]:
    scale = min(1.0, WIDEST / width)
    size = f'width="{_n(width * scale)}" height="{_n(height * scale)}"'
    view = f'viewBox="0 0 {_n(width)} {_n(height)}"'
    ground = f'width="{_n(width - 1)}" height="{_n(height - 1)}"'
    notes = f'<tspan class="n" dx="{APART}">{escape(signature)}</tspan>'
    bold = f'<tspan class="b">{escape(name)}</tspan>'
    right = f'x="{_n(width - MARGIN)}" y="22"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img">',
        f"<title>{escape(name)}</title><desc>{escape(f'{name}{signature}: {count}')}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="g" x=".5" y=".5" {ground} rx="8"/>',
        f'<path class="r" d="M1 {HEADER}H{_n(width - 1)}"/>',
        f'<text class="h" x="{MARGIN}" y="22">{bold}{notes}</text>',
        f'<text class="n c" {right}>{escape(count)}</text>',
    ]


def _frame(frame: Frame, x: float, y: float) -> list[str]:
    lines = "".join(_path(line.points, x, y) for line in frame.lines)
    heads = "".join(_head(line, x, y) for line in frame.lines if line.arrow)
    parts = [f'<path class="e" d="{lines}"/>' if lines else ""]
    for cell in frame.cells:
        parts += _open(cell, x, y) if cell.inner else _closed(cell, x, y)
    parts.append(f'<path class="a" d="{heads}"/>' if heads else "")
    for cell in frame.cells:
        if cell.type:
            at = f'x="{_n(x + cell.x + cell.w / 2 + 6)}" y="{_n(y + cell.y + cell.h + 13)}"'
            parts.append(f'<text class="t" {at}>{escape(cell.type)}</text>')
    for mention in frame.mentions:
        at = f'x="{_n(x + mention.x)}" y="{_n(y + mention.y + 4)}"'
        parts.append(f'<text class="m" {at}>{escape(mention.text)}</text>')
    return parts


def _closed(cell: Cell, x: float, y: float) -> list[str]:
    kind = _paint(cell)
    left, top = x + cell.x, y + cell.y
    round_ = cell.h / 2 if cell.item.is_pill else 4
    box = _rect(kind, left, top, cell.w, cell.h, round_)
    behind = [_rect(kind, left + 3, top + 3, cell.w, cell.h, round_)] if cell.item.foldable else []
    return [*behind, box, _label(cell, left + cell.w / 2, top + cell.h / 2 + 4)]


def _open(cell: Cell, x: float, y: float) -> list[str]:
    left, top = x + cell.x, y + cell.y
    inside = cell.w - 2, cell.h - FRAME_TITLE - 1
    return [
        _rect(_paint(cell), left, top, cell.w, cell.h, 4),
        _rect("o", left + 1, top + FRAME_TITLE, *inside, 3),
        _label(cell, left + cell.w / 2, top + 16),
    ]


def _paint(cell: Cell) -> str:
    return "pill" if cell.item.is_pill else cell.item.family or "group"


def _rect(kind: str, x: float, y: float, w: float, h: float, rx: float) -> str:
    return (
        f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}"'
        f' rx="{_n(rx)}"/>'
    )


def _label(cell: Cell, x: float, y: float) -> str:
    faint = [text for text in (cell.item.note, "" if cell.inner else count_of(cell.item)) if text]
    notes = "".join(f'<tspan class="n" dx="{APART}">{escape(text)}</tspan>' for text in faint)
    return f'<text x="{_n(x)}" y="{_n(y)}">{escape(cell.item.label)}{notes}</text>'


def _path(points: list[Point], x: float, y: float) -> str:
    """Straight down, or a cubic with vertical tangents."""
    (x0, y0), *_ = points
    parts = [f"M{_n(x + x0)} {_n(y + y0)}"]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 == x1:
            parts.append(f"V{_n(y + y1)}")
            continue
        middle = _n(y + (y0 + y1) / 2)
        parts.append(f"C{_n(x + x0)} {middle} {_n(x + x1)} {middle} {_n(x + x1)} {_n(y + y1)}")
    return "".join(parts)


def _head(line: Line, x: float, y: float) -> str:
    px, py = line.points[-1]
    return f"M{_n(x + px)} {_n(y + py)}l-3.2-7h6.4z"


def _n(length: float) -> str:
    """A length to a tenth of a px."""
    return f"{length:.1f}".removesuffix(".0")
