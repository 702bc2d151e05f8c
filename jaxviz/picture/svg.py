"""A scene as SVG: shapes, escaped text and a style of its own, nothing else. Drawn as
`js/src/render` does."""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import escape

from jaxviz.picture.colours import DARK, LIGHT, Theme
from jaxviz.picture.curve import curve, head, length
from jaxviz.picture.layout.caption import is_pill
from jaxviz.picture.layout.measure import (
    APART,
    BOX_SIDE,
    CHIP_SIDE,
    FOLD,
    FONT,
    FRAME_TITLE,
    MARGIN,
    PILL_SIDE,
    SMALL,
    one_line,
    text_width,
)
from jaxviz.picture.layout.measure import head as head_of
from jaxviz.picture.layout.scene import Box, Edge, Scene
from jaxviz.picture.marked import Badge, Marked
from jaxviz.picture.model.compared import KINDS, SAME

WIDEST = 1000
HEADER = 34
"""Px of the line with the program's name."""
TOLD = 20
"""Px of a further line that tells how two programs differ."""
NAME = 40
"""Columns of what they are called."""
BADGE = 13
"""Px, of the height of a sign, and of its least width."""
ROUND = 4
OFF = 9
"""Space between the middle of an edge's label and its line, px."""

_FONT = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_STYLE = f"""
svg{{font:{FONT}px {_FONT}}}
.m,.t,.s{{font-size:{SMALL}px}}
.m{{text-anchor:middle}}
.t{{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}
.c{{text-anchor:end}}
.b{{font-weight:bold}}
.e,.d{{fill:none}}
.d{{stroke-dasharray:5 4}}
.g,.r{{stroke-opacity:.4}}
""".strip()
_SHAPES = """
.call{stroke-dasharray:4 3}
.o{stroke-dasharray:none}
.k{stroke:none}
""".strip()
_MARKED_SHAPES = f"""
.removed{{stroke-dasharray:5 3}}
.retyped{{stroke-dasharray:1.5 2.5}}
.k,.v{{stroke:none}}
.w{{font-size:{SMALL}px;font-weight:bold;text-anchor:middle}}
""".strip()


def _theme(theme: Theme) -> str:
    return "\n".join([_texts_of(theme), _paints(theme.paints), f".o{{fill:{theme.ground}}}"])


def _marked_theme(theme: Theme) -> str:
    """Of two programs: what differs is coloured instead of op families."""
    paints = {"pill": theme.paints["pill"], **theme.changes}
    badges = [f".v.{name}{{fill:{line}}}" for name, (_, line) in theme.changes.items()]
    ground = [f".o{{fill:{theme.ground}}}", f".w{{fill:{theme.ground}}}"]
    return "\n".join([_texts_of(theme), _paints(paints), *badges, *ground])


def _paints(paints: dict[str, tuple[str, str]]) -> str:
    shapes = [f".{name}{{fill:{fill};stroke:{line}}}" for name, (fill, line) in paints.items()]
    return "\n".join(shapes)


def _texts_of(theme: Theme) -> str:
    return "\n".join(
        [
            f"text{{fill:{theme.ink}}}",
            f".n,.m,.t,.f{{fill:{theme.faint}}}",
            f".t{{stroke:{theme.ground}}}",
            f".e,.d{{stroke:{theme.edge}}}",
            f".a{{fill:{theme.edge}}}",
            f".g,.r{{fill:{theme.ground};stroke:{theme.edge}}}",
        ]
    )


def _style(theme: Callable[[Theme], str], shapes: str) -> str:
    """Light, or dark where the reader's system is: the picture stands on a ground of its own."""
    dark = f"@media (prefers-color-scheme:dark){{{theme(DARK)}}}"
    return "\n".join([_STYLE, theme(LIGHT), dark, shapes])


STYLE = _style(_theme, _SHAPES)
MARKED_STYLE = _style(_marked_theme, _MARKED_SHAPES)


def svg(scene: Scene, name: str, signature: str, count: str, marked: Marked | None = None) -> str:
    """The picture of a program, under a line with its name; at most `WIDEST` px wide. Of two
    programs `marked` tells how they differ."""
    header = text_width(f"{name}{signature}{count}") + 4 * APART + 2 * MARGIN
    top = HEADER
    lines: list[str] = []
    if marked:
        told, wide = _told(marked)
        lines, header, top = told, max(header, wide), HEADER + TOLD
    width, height = max(scene.width, header), scene.height + top
    left = (width - scene.width) / 2
    paints = marked.paints if marked else [_paint(box) for box in scene.boxes]
    boxes = list(zip(scene.boxes, paints, strict=True))
    badges = zip(scene.boxes, marked.badges, strict=True) if marked else ()
    parts = [
        *_header(width, height, top, name, signature, count, MARKED_STYLE if marked else STYLE),
        *lines,
        f'<g transform="translate({length(left)} {top})">',
        *(_open(box, paint) for box, paint in boxes if box.open),
        *_edges(scene.edges),
        *(_closed(box, paint) for box, paint in boxes if not box.open),
        *(badge for box, own in badges for badge in _badges(box.x - 9, box.y - _above(own), own)),
        *(_text("t", box.type_x, box.type_y + 8, box.type) for box in scene.boxes if box.type),
        *(_text("m", one.x + one.w / 2, one.y + one.h / 2 + 3, one.text) for one in scene.mentions),
        *(label for edge in scene.edges for label in _labels(edge)),
    ]
    return "\n".join([*parts, "</g></svg>\n"])


def _header(
    width: float, height: float, top: float, name: str, signature: str, count: str, style: str
) -> list[str]:
    scale = min(1.0, WIDEST / width)
    size = f'width="{length(width * scale)}" height="{length(height * scale)}"'
    view = f'viewBox="0 0 {length(width)} {length(height)}"'
    ground = f'width="{length(width - 1)}" height="{length(height - 1)}"'
    notes = f'<tspan class="n" dx="{APART}">{escape(signature)}</tspan>'
    bold = f'<tspan class="b">{escape(name)}</tspan>'
    right = f'x="{length(width - MARGIN)}" y="22"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img">',
        f"<title>{escape(name)}</title><desc>{escape(f'{name}{signature}: {count}')}</desc>",
        f"<style>{style}</style>",
        f'<rect class="g" x=".5" y=".5" {ground} rx="8"/>',
        f'<path class="r" d="M1 {top}H{length(width - 1)}"/>',
        f'<text x="{MARGIN}" y="22">{bold}{notes}</text>',
        *([f'<text class="n c" {right}>{escape(count)}</text>'] if count else []),
    ]


def _told(marked: Marked) -> tuple[list[str], float]:
    """A line that says what the programs are called and how they differ, and how wide it is."""
    names = f"{head_of(one_line(marked.before), NAME)} → {head_of(one_line(marked.after), NAME)}"
    parts = [_text("n", MARGIN, HEADER + 12, names)]
    x = MARGIN + text_width(names) + 2 * APART
    for kind, text in marked.told:
        if kind != SAME:
            parts += _badges(x, HEADER + 2, [Badge(KINDS[kind].name, KINDS[kind].sign)])
            x += BADGE + 5
        parts.append(f'<text x="{length(x)}" y="{HEADER + 12}">{escape(text)}</text>')
        x += text_width(text) + 2 * APART
    return parts, x - 2 * APART + MARGIN


def _above(badges: list[Badge]) -> float:
    """How far they stand out above their box: less where they do not reach before its text."""
    return BADGE - 3 if sum(len(badge.text) for badge in badges) > 1 else 8


def _badges(x: float, y: float, badges: list[Badge]) -> list[str]:
    """Beside one another, the first one's upper left corner at (x, y)."""
    parts: list[str] = []
    for paint, text in badges:
        w = max(float(BADGE), text_width(text, SMALL) + 6)
        parts.append(
            f'<path class="v {paint}" d="M{length(x + 3)} {length(y)}h{length(w - 6)}q3 0 3 3v7'
            f'q0 3-3 3h{length(6 - w)}q-3 0-3-3v-7q0-3 3-3z"/>'
            f'<text class="w" x="{length(x + w / 2)}" y="{length(y + 10)}">{escape(text)}</text>'
        )
        x += w + 1
    return parts


def _open(box: Box, kind: str) -> str:
    """Its border and a band behind its title. Edges enter above the title and go on below it."""
    band = (
        f'<path class="{kind} k" d="M{length(box.x + 0.5)} {length(box.y + FRAME_TITLE)}v-20'
        f'q0-3.5 3.5-3.5h{length(box.w - 8)}q3.5 0 3.5 3.5v20z"/>'
    )
    return _rect(f"{kind} o", box.x, box.y, box.w, box.h, ROUND) + band + _texts(box)


def _closed(box: Box, kind: str) -> str:
    round_ = box.h / 2 if is_pill(box.item) or box.item.free else ROUND
    return _rect(kind, box.x, box.y, box.w, box.h, round_) + _texts(box)


def _paint(box: Box) -> str:
    return "pill" if is_pill(box.item) else box.item.family or "group"


def _rect(kind: str, x: float, y: float, w: float, h: float, rx: float) -> str:
    return (
        f'<rect class="{kind}" x="{length(x)}" y="{length(y)}" width="{length(w)}"'
        f' height="{length(h)}" rx="{length(rx)}"/>'
    )


def _texts(box: Box) -> str:
    side = PILL_SIDE if is_pill(box.item) else CHIP_SIDE if box.item.free else BOX_SIDE
    size = SMALL if box.item.free else FONT
    middle = box.y + (FRAME_TITLE if box.open else box.h) / 2 + 0.5
    whole = text_width(box.label, size) + (APART + text_width(box.note) if box.note else 0)
    aligned = box.item.foldable or box.count
    begin = box.x + (side if aligned else max(side, (box.w - whole) / 2))
    fold = ""
    if box.item.foldable:
        begin += FOLD
        fold = _triangle(box.x + side, middle, box.open)
    label = escape(one_line(box.label))
    if box.note:
        label += f'<tspan class="n" dx="{APART}">{escape(one_line(box.note))}</tspan>'
    small = ' class="s"' if box.item.free else ""
    text = f'<text{small} x="{length(begin)}" y="{length(middle + 3.5)}">{label}</text>'
    if box.open or not box.count:
        return fold + text
    return fold + text + _text("n c", box.x + box.w - side, middle + 3.5, box.count)


def _triangle(x: float, y: float, open_: bool) -> str:
    if open_:
        return f'<path class="f" d="M{length(x - 1)} {length(y - 2.5)}h8l-4 5.5z"/>'
    return f'<path class="f" d="M{length(x)} {length(y - 4)}l6 4-6 4z"/>'


def _text(kind: str, x: float, y: float, text: str) -> str:
    at = f'x="{length(x)}" y="{length(y)}"'
    return f'<text class="{kind}" {at}>{escape(one_line(text))}</text>'


def _edges(edges: list[Edge]) -> list[str]:
    """What flows on, what returns, and all arrowheads. Cut edges are not drawn: mentions are."""
    drawn = [edge for edge in edges if not edge.cut]
    onward = "".join(curve(edge.points) for edge in drawn if not edge.returns)
    returning = "".join(curve(edge.points) for edge in drawn if edge.returns)
    heads = "".join(head(*edge.points[-1], edge.way) for edge in drawn if edge.arrow)
    paths = ("e", onward), ("d", returning), ("a", heads)
    return [f'<path class="{kind}" d="{path}"/>' for kind, path in paths if path]


def _labels(edge: Edge) -> list[str]:
    """What is carried from lane to lane, above and below the edge."""
    x, y = edge.label_x, edge.label_y + 3
    texts = ((edge.label, y - OFF), (edge.note, y + OFF))
    return [_text("m", x, at, text) for text, at in texts if text]
