"""Finds the user's lines: turns Python's frames into records, with their notebook cells."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import jax
from msgspec.structs import replace

from jaxviz.capture.shown.strings import name
from jaxviz.schema import Frame

_CELL_FILE = re.compile(r"ipykernel_\d+[/\\]|^<ipython-input-(?P<count>\d+)-")
_OURS = os.path.join(Path(__file__).absolute().parents[2], "")
_MACHINERY = tuple(f"{os.sep}{package}{os.sep}" for package in ("IPython", "ipykernel"))
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_JAX = os.path.dirname(jax.__file__) + os.sep
_CUSTOM = frozenset(
    inspect.unwrap(kind.__call__).__code__ for kind in (jax.custom_vjp, jax.custom_jvp)
)
"""The code that runs when a function with custom rules is called."""
_STANDARD = (sysconfig.get_path("stdlib") + os.sep, "<frozen")


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A cell of a notebook that was run."""

    id: str | None
    count: int | None
    offset: int
    """The number of its first blank lines, which IPython removes before it runs the code."""
    text: str | None
    """The cell as written in the notebook; None if it is unknown."""
    again: bool = False
    """True if a cell with the same text ran before."""


_cells: dict[str, Cell] = {}


def note_cell(file: str, source: str, cell: str | None, count: int | None) -> None:
    """Remembers the cell that IPython compiles under the name `file`.

    `source` is the cell as written, `cell` its id in the notebook, and `count` its execution count;
    the last two may be unknown.
    """
    lines = source.splitlines()
    blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
    again = any(one.text == source for one in _cells.values())
    _cells.pop(file, None)
    _cells[file] = Cell(cell, count, blank, source, again)
    _cells["<timed exec>"] = Cell(cell, count, blank + 1, source, again)
    if file_kind(file) != "own":  # it was read before it was a cell
        file_kind.cache_clear()
    cell_of.cache_clear()


def cells_run() -> Iterator[str]:
    """The file names of the cells that ran, the latest first. Cells without `note_cell` come
    last."""
    yield from reversed([*_cells])
    yield from (file for file in reversed([*linecache.cache]) if is_cell(file))


class EqnPlace(NamedTuple):
    """The place of an eqn in the source, as in the fields of `schema.Eqn`."""

    frame: int | None
    call: int | None
    inherited: bool


NOWHERE = EqnPlace(None, None, False)


class Sources:
    """Collects the frames of a stage, each once and after its caller.

    `program` is the traced function in JAX's words: `update at svi.py:258`."""

    def __init__(self, program: str) -> None:
        self._program = program
        self.records: list[Frame] = []
        self.own: dict[CodeType, set[int]] = {}
        """The user's code objects, with the lines of them that have a frame."""
        self.custom: dict[Frame, tuple[CodeType, int]] = {}
        """The lines that call a function with custom rules for its derivative."""
        self._index: dict[tuple[int | None, Frame], int] = {}
        self.lines: dict[tuple[CodeType, int], Frame] = {}
        """The frame of each instruction, without its callers."""

    def place(self, calls: Sequence[tuple[CodeType, int]], enclosing: EqnPlace) -> EqnPlace:
        """The place of an eqn; `calls` are the Python calls that made it, innermost first.

        `enclosing` is the place of the eqn whose body contains it. From JAX 0.9 on the calls end at
        the body's own function, so they are continued with those of `enclosing`.
        """
        shown_calls = [*self._shown(calls)]
        lines = [self._line(code, at) for code, at in shown_calls]
        call = enclosing.call
        if call is None or self._within(call, lines):
            call = None
            while any(not line.library for line in lines) and lines[-1].library:
                if self._is_program(shown_calls[len(lines) - 1][0]):
                    break
                lines.pop()
        for line in reversed(lines):
            call = self._intern(call, line)
        inherited = all(line.library for line in lines) and enclosing.frame is not None
        return EqnPlace(enclosing.frame if inherited else self._own(call), call, inherited)

    def _is_program(self, code: CodeType) -> bool:
        return f"{code.co_name} at {code.co_filename}:{code.co_firstlineno}" == self._program

    def _shown(self, calls: Sequence[tuple[CodeType, int]]) -> Iterator[tuple[CodeType, int]]:
        """The calls in the user's files and in installed packages."""
        is_custom = False
        for call in calls:
            kind = file_kind(call[0].co_filename)
            if kind == "machinery":
                break
            if kind == "library":
                is_custom = is_custom or call[0] in _CUSTOM
                continue
            if is_custom:
                self.custom[self._line(*call)] = call
                is_custom = False
            yield call

    def _own(self, call: int | None) -> int | None:
        """The innermost of a frame and its callers in the user's code; the frame itself if there is
        none."""
        at = call
        while at is not None and self.records[at].library:
            at = self.records[at].parent
        return call if at is None else at

    def _line(self, code: CodeType, at: int) -> Frame:
        key = (code, at)
        if key not in self.lines:
            line = self.lines[key] = line_of(code, at)
            if not line.library:
                self.own.setdefault(code, set()).add(line.line)
        return self.lines[key]

    def _within(self, frame: int, lines: list[Frame]) -> bool:
        record = self.records[frame]
        return any(
            (line.function, line.file, line.line) == (record.function, record.file, record.line)
            for line in lines
        )

    def _intern(self, parent: int | None, line: Frame) -> int:
        key = (parent, line)
        if key not in self._index:
            self._index[key] = len(self.records)
            self.records.append(replace(line, parent=parent))
        return self._index[key]


@lru_cache(maxsize=4096)
def file_kind(file: str) -> str:
    """The owner of the code in a file: `own` (the user), `installed` (other packages), `library`
    (JAX and Python), or `machinery` (jaxviz, IPython and the kernel, which run the user's code)."""
    if is_cell(file):
        return "own"
    if file.startswith(_OURS) or any(part in file for part in _MACHINERY):
        return "machinery"
    if is_jax_file(file):
        return "library"
    if any(part in file for part in _INSTALLED):
        return "installed"
    return "library" if file.startswith(_STANDARD) else "own"


def is_jax_file(file: str) -> bool:
    return file.startswith(_JAX)


def is_cell(file: str) -> bool:
    """True for a file name that IPython gives a cell."""
    return file in _cells or _CELL_FILE.search(file) is not None


def line_of(code: CodeType, instruction: int) -> Frame:
    """The line and the expression of one instruction, without its callers."""
    position = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    line, last, start, stop = position
    found = place(code.co_filename, code.co_qualname, line or code.co_firstlineno)
    if line is None or last is None or start is None or stop is None:
        return found
    return replace(
        found,
        column=character(code.co_filename, line, start),
        end_line=found.line + last - line,
        end_column=character(code.co_filename, last, stop),
    )


def character(file: str, line: int, byte: int) -> int:
    """The column of a character, from 1, for its byte in UTF-8, from 0."""
    text = linecache.getline(file, line)
    return 1 + (byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore")))


def line_number(frame: FrameType) -> int:
    """The line that runs. If the function has no line table, its first line."""
    found: int | None = frame.f_lineno
    return found or frame.f_code.co_firstlineno


def place(file: str, function: str, line: int) -> Frame:
    """A line in a file or in the file's cell, without its callers."""
    cell = cell_of(file)
    library = file_kind(file) == "installed"
    return Frame(
        function=name(function if library else function.rpartition("<locals>.")[2]),
        file=name(file_label(file, cell)),
        line=line + cell.offset,
        column=0,
        end_line=0,
        end_column=0,
        code=name(linecache.getline(file, line).strip()),
        cell=None if cell.id is None else name(cell.id),
        count=cell.count,
        library=library,
        parent=None,
    )


@lru_cache(maxsize=4096)
def cell_of(file: str) -> Cell:
    """The cell of a file name. For a cell without `note_cell` only the file name is known. IPython
    in a terminal puts the execution count into it."""
    if file in _cells:
        return _cells[file]
    found = _CELL_FILE.search(file)
    count = found["count"] if found else None
    return Cell(None, None if count is None else int(count), 0, None)


def lines_of(file: str) -> list[str]:
    """The lines of a file, or of a cell as written, without its first blank lines."""
    cell = cell_of(file)
    if cell.text is not None:
        return cell.text.splitlines()[cell.offset :]
    return [line.rstrip("\n") for line in linecache.getlines(file)]


def file_label(file: str, cell: Cell) -> str:
    """`cell 3`, a path relative to the working directory, or the path's last two parts.

    A path in a home folder begins below that folder, since its name is a person's."""
    if is_cell(file):
        return "cell" if cell.count is None else f"cell {cell.count}"
    if file.startswith("<"):
        return file
    try:
        relative = _relative(file, os.getcwd())
    except (ValueError, OSError):
        relative = os.pardir
    parts = file.split(os.sep)[-2:]
    if not relative.startswith(os.pardir):
        parts = relative.split(os.sep)
    return os.sep.join(parts[-_parts_below_home(file, os.path.expanduser("~")) :])


_HOMES = re.compile(r"(?:(?:/\w+)?/home|/Users|[A-Za-z]:\\Users)[/\\][^/\\]+(?=[/\\])")
"""Home folders at their usual places, also those of other people."""


@lru_cache(maxsize=4096)
def _parts_below_home(file: str, home: str) -> int:
    """The number of parts of a path below a home folder; 0 if it is in none."""
    homes = [one for one in {home, os.path.realpath(home)} if file.startswith(one + os.sep)]
    found = _HOMES.match(file)
    below = [file[len(one) :] for one in (*homes, *([found[0]] if found else ()))]
    return min((one.count(os.sep) for one in below), default=0)


_relative = lru_cache(maxsize=4096)(os.path.relpath)
"""Cached, since each line of a file needs it, in the working directory of that moment."""


_PLACE = re.compile(r"(?P<file><ipython-input-[^>]*>|(?:/|[A-Z]:\\)[^\s:]*):(?P<line>\d+)(?::\d+)?")


def places(text: str) -> str:
    """The text with each place in a file written as jaxviz writes it: `cell 3, line 5`."""

    def written(found: re.Match[str]) -> str:
        at = place(found["file"], "", int(found["line"]))
        return f"{at.file}, line {at.line}"

    return _PLACE.sub(written, text)
