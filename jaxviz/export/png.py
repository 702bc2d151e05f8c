"""The static picture as a bitmap, for slides and for programs that do not accept SVG.

The fonts come with jaxviz (`fonts/README.md`), so that a bitmap is the same on every machine. A
character without a glyph is replaced, and named below the picture.
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

SCALE = 2
"""Pixels for each px of the picture, so that it is crisp on a dense screen."""
FAMILY = "DejaVu Sans Mono"
FILES = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.[ot]tf"))
MISSING = "\ufffd"
"""Replaces a character that the fonts lack."""
NAMED = 6
"""The most such characters that are named below the picture, by code point."""
FOOT_LETTERS = 44
"""The least number of letters in a line below the picture."""
LINE, SIZE, LETTER, MARGIN = 14, 10, 6, 16
"""Sizes of that line in px: its height, its font size, the width of a letter, and the margin."""

_TEXT = re.compile(r"(?<=>)[^<]+(?=<)")
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def png(svg: str) -> bytes:
    """A picture at twice its size. resvg draws it, which runs no script and reads only jaxviz's
    fonts.

    Raises ImportError if resvg is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError as error:
        raise ImportError(
            "a picture is saved as .png by resvg_py, which is not installed: "
            "run `pip install 'jupyterlab-jaxviz[png]'`, or save it as .svg."
        ) from error
    return svg_to_bytes(
        with_glyphs(svg),
        zoom=SCALE,
        skip_system_fonts=True,
        font_files=FILES,
        monospace_family=FAMILY,
    )


@cache
def code_points() -> frozenset[int]:
    """The code points for which a font has a glyph."""
    return frozenset(point for file in FILES for point in _points(Path(file).read_bytes()))


def _points(font: bytes) -> Iterator[int]:
    """The code points of an OpenType font, from its `cmap` subtable of format 12, which lists
    ranges."""
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
    """The picture with `MISSING` for each character without a glyph. A line below names these
    characters."""
    absent: dict[str, None] = {}

    def shown(found: re.Match[str]) -> str:
        text = unescape(found[0])
        here = {c: None for c in text if not c.isspace() and ord(c) not in code_points()}
        if not here:
            return found[0]
        absent.update(here)
        return escape("".join(MISSING if char in here else char for char in text))

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
    lines = textwrap.wrap(sentence, max(room, FOOT_LETTERS))
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
