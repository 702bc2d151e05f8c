"""The programs of a job's processes, as one output with a switch of processes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import NamedTuple

from jaxviz.compare import Comparison
from jaxviz.display import wire
from jaxviz.program import Program, encoded_program
from jaxviz.schema import Words
from jaxviz.tools.job.record import Held

PROGRAMS_BYTES = 100_000
"""The most bytes, in an output, of all programs except the one shown first."""


class HeldProgram(NamedTuple):
    """A program as it is shown, and its processes."""

    processes: Sequence[int]
    differs: Words
    shown: Program | Comparison | None


def first_of(held: Sequence[HeldProgram]) -> Program | Comparison | None:
    """The program that is shown first: the difference between another program and that of most
    processes. None if no program is available."""
    seen = [one.shown for one in held if one.shown is not None]
    compared = (one for one in seen if isinstance(one, Comparison))
    return next(compared, next(iter(seen), None))


def records_of(held: Sequence[HeldProgram], room: int | None = None) -> list[Held]:
    """The programs as records. All except the first shown may have `room` bytes; None means no
    limit."""
    first = first_of(held)
    records: list[Held] = []
    for processes, differs, shown in held:
        saved = None if shown is first and first is not None else _saved(shown)
        if saved and room is not None:
            saved = saved if len(saved) <= room else ""
            room -= len(saved)
        one = Held(processes=[*processes], differs=differs, program=saved)
        records.append(one)
    return records


def shown_in(record: Held, first: Program) -> Program | Comparison | None:
    """The program of a record. `first` is the one that the record omits."""
    if record.program == "":
        return None
    program = first.record if record.program is None else encoded_program(record.program)
    return Program(program) if program.compared is None else Comparison(program)


def _saved(shown: Program | Comparison | None) -> str:
    return "" if shown is None else b64encode(wire.encode(shown.record)).decode()
