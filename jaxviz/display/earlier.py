"""The programs that each cell showed in its last run, so that a page can show what an edit changed.

They are stored in their wire form: only strings and numbers, a few bytes an eqn. A cell's programs
are dropped when it shows others or when the page deletes the cell. If all together have more than
`MOST_BYTES`, the oldest are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.display import wire
from jaxviz.display.outputs import inner_name
from jaxviz.display.running_cell import before_cells, request, running, until_rerun
from jaxviz.safety.background import Job, start_job

MOST_BYTES = 8_000_000
"""The most bytes of all stored programs."""
LARGEST = 400_000
"""The most bytes of one stored program."""

CHANGED, SAME, UNKNOWN = "changed", "same", ""
"""Values of `Display.since`."""


class ShownProgram(NamedTuple):
    """A program that a cell showed."""

    name: str
    program: bytes
    """A digest of its jaxpr, inputs and results."""
    code: bytes
    """A digest of the cell and of all code that the program was made from."""
    data: bytes
    """The program as `wire` encodes it."""


class Run(NamedTuple):
    """The programs of a cell in its latest run and in the run before."""

    execution: str
    before: list[ShownProgram]
    shown: list[ShownProgram]


_runs: dict[str, Run] = {}
"""The runs by cell id, the latest at the end."""
_earlier: dict[str, tuple[str, ShownProgram]] = {}
"""For the key of an output: the id of its cell, and the program that the cell showed before."""


def since(key: str, record: schema.Program, data: bytes) -> str:
    """Stores a program that the running cell shows, and compares it with the earlier one in the
    same place. Returns `CHANGED`, `SAME` if only its code changed, and `UNKNOWN` otherwise. Never
    raises."""
    with suppress(Exception):
        is_one = record.compared is None and record.stages[0].error is None
        if key and is_one and len(data) <= LARGEST:
            return _since(key, record, data)
    return UNKNOWN


def _since(key: str, record: schema.Program, data: bytes) -> str:
    cell, execution = running()
    before_cells(_forget_deleted)
    last = _runs.pop(cell, None)
    if last is None or last.execution != execution:
        last = Run(execution, last.shown if last else [], [])
    _runs[cell] = last
    now = shown_program(record, data)
    before = counterpart(now, last)
    last.shown.append(now)
    _forget_oldest()
    if before is None or (before.program, before.code) == (now.program, now.code):
        return UNKNOWN
    if before.program == now.program:
        return SAME
    _earlier[key] = cell, before
    until_rerun(lambda: _forget_output(key))
    return CHANGED


def shown_program(record: schema.Program, data: bytes) -> ShownProgram:
    encode = msgspec.json.encode
    program = encode([record.name, record.stages[0].text, record.args, record.results])
    code = encode([request()["content"]["code"], *[one.text for one in record.listings]])
    return ShownProgram(record.name, digest(program), digest(code), data)


def digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()


def counterpart(now: ShownProgram, run: Run) -> ShownProgram | None:
    """The earlier program in the same place, with the same name. If the cell showed only one
    program and no longer contains its function, the function was renamed: then the name may
    differ."""
    shown = sum(one.name == now.name for one in run.shown)
    named = [one for one in run.before if one.name == now.name]
    if named:
        return named[shown] if shown < len(named) else None
    only = run.before[0] if len(run.before) == 1 and not run.shown else None
    code: str = request()["content"]["code"]
    is_gone = only is not None and inner_name(only.name) not in re.findall(r"\w+", code)
    return only if is_gone else None


def comparison(key: str, record: schema.Program) -> Job[schema.Program]:
    """The job that compares a program with the earlier one in its place. Raises KeyError if that is
    no longer stored."""
    _, before = _earlier[key]
    return start_job(lambda: compare_programs(wire.decode(before.data), record), "comparing")


def _forget_output(key: str) -> None:
    _earlier.pop(key, None)


def forget(cell: str) -> None:
    _runs.pop(cell, None)
    for key in [key for key, (of, _) in _earlier.items() if of == cell]:
        del _earlier[key]


def _forget_oldest() -> None:
    sizes = {cell: sum(len(one.data) for one in programs(run)) for cell, run in _runs.items()}
    total = sum(sizes.values())
    for cell, size in sizes.items():
        if total > MOST_BYTES:
            forget(cell)
            total -= size


def programs(run: Run) -> Iterator[ShownProgram]:
    yield from run.before
    yield from run.shown


def _forget_deleted(_: object) -> None:
    """Forgets deleted cells, which JupyterLab names when another cell runs."""
    with suppress(Exception):
        for cell in request()["metadata"].get("deletedCells", ()):
            forget(cell)
