"""Collects the user's own code that a program was made from, to be shown beside it."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import CodeType

from jaxviz.capture.shown.source import Sources, cell_of, is_cell, shown
from jaxviz.capture.shown.strings import name, plain
from jaxviz.schema import Listing

_MOST_LINES = 400
_MOST_CHARACTERS = 60_000
_MOST_COLUMNS = 500
_NEAR = 6
"""Up to this many lines between two functions are shown rather than left out."""

Lines = tuple[int, int]
"""The first and the last line."""


def listings_of(sources: Sources) -> list[Listing]:
    """The code whose lines are the frames of a stage: cells whole, and from files the functions
    alone. At most 400 lines and 60 kB, beginning with what was met first."""
    found: list[Listing] = []
    room, width = _MOST_LINES, _MOST_CHARACTERS
    for file, parts in _files(sources).items():
        for part in parts:
            listing = _listing(file, part, room, width)
            if listing is not None and not _is_among(found, listing):
                found.append(listing)
                room -= listing.text.count("\n") + 1
                width -= len(listing.text.encode())
    return found


def _is_among(found: list[Listing], listing: Listing) -> bool:
    """Whether `found` has the same listing: a cell under `%%time` runs under two file names."""
    return any(other == listing for other in found)


def _files(sources: Sources) -> dict[str, list[Lines]]:
    """The parts of each file that have its functions; the whole of a cell that is short enough."""
    parts: dict[str, list[Lines]] = {}
    for code, lines in sources.own.items():
        parts.setdefault(code.co_filename, []).extend(_parts(code, lines))
    return {file: _joined(file, held) for file, held in parts.items()}


def _parts(code: CodeType, lines: set[int]) -> list[Lines]:
    """The lines of a function; at the top level of a file only those that were met."""
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
    """The lines of a part, as far as there is room."""
    first, last = part
    lines = [_narrow(line) for line in _text(file)[first - 1 : min(last, first - 1 + room)]]
    text = "\n".join(_fitting(lines, width))
    if not text.strip():
        return None
    cell = cell_of(file)
    return Listing(
        file=name(shown(file, cell)),
        cell=None if cell.id is None else name(cell.id),
        count=cell.count,
        start=first,
        text=text,
    )


def _text(file: str) -> list[str]:
    """The lines of a file, or of a cell as written in the notebook."""
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
