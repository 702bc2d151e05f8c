"""The fonts that a bitmap is drawn with, and what of a picture's text they have no glyph for.

They are ours (`fonts/README.md`), so that a bitmap is the same on every machine.
"""

from __future__ import annotations

import re
import struct
import textwrap
import unicodedata
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from pathlib import Path

FAMILY = "DejaVu Sans Mono"
FILES = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.[ot]tf"))
MISSING = "\ufffd"
"""What stands where a glyph is missing."""
NAMED = 6
"""Missing characters that are named, by code point: the fonts cannot draw them."""
LEAST = 44
"""Letters of the line that names them."""
LINE, SIZE, LETTER, MARGIN = 14, 10, 6, 16
"""Px: the height of that line and of its font, the width of a letter, and the room beside it."""

_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


@cache
def drawable() -> frozenset[int]:
    """Code points that one of the fonts has a glyph for."""
    return frozenset(point for file in FILES for point in _points(Path(file).read_bytes()))


def _points(font: bytes) -> Iterator[int]:
    """Of an OpenType font: by its table of characters of format 12, which has groups of them."""
    tables = struct.unpack_from(">H", font, 4)[0]
    entries = (struct.unpack_from(">4s4xI", font, 12 + 16 * i) for i in range(tables))
    cmap = next(at for tag, at in entries if tag == b"cmap")
    count = struct.unpack_from(">H", font, cmap + 2)[0]
    offsets = (struct.unpack_from(">I", font, cmap + 8 + 8 * i)[0] for i in range(count))
    table = next(at for at in offsets if struct.unpack_from(">H", font, cmap + at)[0] == 12) + cmap
    for i in range(struct.unpack_from(">I", font, table + 12)[0]):
        first, last = struct.unpack_from(">II", font, table + 16 + 12 * i)
        yield from range(first, last + 1)


def with_glyphs(svg: str) -> str:
    """The picture, with `MISSING` for each character that no font has, and then a line below it
    that says which those are."""
    absent: dict[str, None] = {}

    def shown(found: re.Match[str]) -> str:
        text = unescape(found[0])
        gone = {char: None for char in text if not char.isspace() and ord(char) not in drawable()}
        if not gone:
            return found[0]
        absent.update(gone)
        return escape("".join(MISSING if char in gone else char for char in text))

    drawn = _TEXT.sub(shown, unicodedata.normalize("NFC", svg))
    return _with_foot(drawn, _sentence(list(absent))) if absent else drawn


def _sentence(absent: list[str]) -> str:
    named = ", ".join(f"U+{ord(char):04X}" for char in absent[:NAMED])
    more = f" and {len(absent) - NAMED:,} more" if len(absent) > NAMED else ""
    return f"{MISSING} stands for {named}{more}, not in this picture's font: save it as .svg."


def _with_foot(svg: str, sentence: str) -> str:
    size = _SIZE.search(svg)
    assert size is not None, "a picture says its size"
    width, height = map(float, size.groups())
    room = int((width - 2 * MARGIN) / LETTER)
    lines = textwrap.wrap(sentence, max(room, LEAST))
    wide = max(width, LETTER * max(map(len, lines)) + 2 * MARGIN)
    tall = height + LINE * len(lines) + LINE / 2
    texts = [
        f'<text class="n" x="{MARGIN}" y="{height + LINE * i:g}" style="font-size:{SIZE}px">'
        f"{escape(line)}</text>"
        for i, line in enumerate(lines, 1)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{tall:g}">'
        f'<rect class="g" width="{wide:g}" height="{tall:g}" rx="8"/>{svg}{"".join(texts)}</svg>'
    )
