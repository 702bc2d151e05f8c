"""Collects the user's code of a program, to be shown beside it."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import CodeType

from jaxviz.capture.shown.source import Sources, cell_of, file_label, is_cell
from jaxviz.capture.shown.strings import name, plain
from jaxviz.schema import Listing

_MOST_LINES = 400
_MOST_CHARACTERS = 60_000
_MOST_COLUMNS = 500
_NEAR = 6
"""At most this many lines between two functions are shown, too."""

Lines = tuple[int, int]
"""The first and the last line, both included."""


def listings_of(sources: Sources) -> list[Listing]:
    """The code of a stage's frames: whole cells, and the functions of files. At most 400 lines and
    60 kB, in the order in which the walk found them."""
    found: list[Listing] = []
    room, width = _MOST_LINES, _MOST_CHARACTERS
    for file, parts in _files(sources).items():
        for part in parts:
            listing = _listing(file, part, room, width)
            # A cell under `%%time` runs under two file names.
            if listing is not None and not any(other == listing for other in found):
                found.append(listing)
                room -= listing.text.count("\n") + 1
                width -= len(listing.text.encode())
    return found


def _files(sources: Sources) -> dict[str, list[Lines]]:
    """The functions' lines in each file; all lines of a cell that is short enough."""
    files: dict[str, list[Lines]] = {}
    for code, lines in sources.own.items():
        files.setdefault(code.co_filename, []).extend(_parts(code, lines))
    return {file: _joined(file, parts) for file, parts in files.items()}


def _parts(code: CodeType, lines: set[int]) -> list[Lines]:
    """The lines of a function. At the top level of a file only `lines`, which have frames."""
    if code.co_name == "<module>":
        return [(line, line) for line in lines]
    offset = cell_of(code.co_filename).offset
    return [(code.co_firstlineno + offset, _last_line(code) + offset)]


def _last_line(code: CodeType) -> int:
    last = code.co_firstlineno
    waiting = [code]
    while waiting:
        inner = waiting.pop()
        waiting.extend(const for const in inner.co_consts if isinstance(const, CodeType))
        last = max([last, *(line for _, _, line in inner.co_lines() if line is not None)])
    return last


def _joined(file: str, parts: list[Lines]) -> list[Lines]:
    if is_cell(file):
        count = len(_text(file))
        if count <= _MOST_LINES:
            return [(1, count)]
    joined: list[Lines] = []
    for first, last in sorted(parts):
        if joined and first <= joined[-1][1] + _NEAR:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _listing(file: str, part: Lines, room: int, width: int) -> Listing | None:
    """The lines of a part that fit into `room` lines and `width` bytes."""
    first, last = part
    lines = [_narrow(line) for line in _text(file)[first - 1 : min(last, first - 1 + room)]]
    text = "\n".join(_fitting(lines, width))
    if not text.strip():
        return None
    cell = cell_of(file)
    return Listing(
        file=name(file_label(file, cell)),
        cell=None if cell.id is None else name(cell.id),
        count=cell.count,
        start=first,
        text=text,
    )


def _text(file: str) -> list[str]:
    """The lines of a file, or of a cell as the notebook shows it."""
    cell = cell_of(file)
    if cell.text is not None:
        return cell.text.rstrip("\n").split("\n")
    return [line.rstrip("\n") for line in linecache.getlines(file)]


def _narrow(line: str) -> str:
    return plain(line if len(line) <= _MOST_COLUMNS else line[: _MOST_COLUMNS - 1] + "…").replace(
        "\n", " "
    )


def _fitting(lines: list[str], width: int) -> Iterator[str]:
    for line in lines:
        width -= len(line.encode()) + 1
        if width < 0:
            return
        yield line
