"""Text is monospaced, so that its width is known without drawing it. As `js/src/layout/measure.ts`.

All lengths are px, all widths of texts columns of 0.6 em.
"""

from __future__ import annotations

import re
import unicodedata

FONT = 12
SMALL = 10
COLUMN = 0.6

BOX_HEIGHT, BOX_LEAST, BOX_SIDE = 26, 44, 11
PILL_HEIGHT, PILL_LEAST, PILL_SIDE = 24, 34, 12
CHIP_HEIGHT, CHIP_LEAST, CHIP_SIDE = 18, 22, 7
"""What does nothing when it runs."""
FRAME_TITLE, FRAME_SIDE, FRAME_END = 24, 14, 12
"""Around what an open box holds: the title above, and the space at the other sides."""
FOLD = 15
"""What the fold triangle and a count need beside the label."""
PORT_WIDTH = 10
APART = 8
"""Between the texts of a box."""
MARGIN = 16
"""Around the whole picture."""

_WIDE = re.compile(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)


def columns(text: str) -> int:
    """East Asian wide characters take two columns, marks and joiners none."""
    return len(text) if text.isascii() else sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.category(char).startswith("M") or char in "\u200b\u200d\ufe0f":
        return 0
    return 2 if _WIDE.match(char) else 1


def text_width(text: str, size: int = FONT) -> float:
    return columns(text) * COLUMN * size


def head(text: str, most: int) -> str:
    """At most `most` columns, cut at the end."""
    return text if columns(text) <= most else f"{_take(text, most - 1)}…"


def tail(text: str, most: int) -> str:
    """At most `most` columns, cut at the start: of a path the last keys tell the most, and it is
    cut before a key where that leaves half of it."""
    if columns(text) <= most:
        return text
    kept = _take(text[::-1], most - 1)[::-1]
    key = next((i for i, char in enumerate(kept) if char in "[."), 0)
    return f"…{kept[key:] if 2 * key <= len(kept) else kept}"


def _take(text: str, room: int) -> str:
    for i, char in enumerate(text):
        room -= _columns(char)
        if room < 0:
            return text[:i]
    return text


def one_line(text: str) -> str:
    """A hostile text as one line: no control, formatting or lone surrogate character."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_printable, text)).split())


def _printable(char: str) -> str:
    return " " if unicodedata.category(char)[0] in "CZ" else char
