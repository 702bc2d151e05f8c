"""The programs that the processes of a job hold, as one output with a switch of processes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxviz.compare import Comparison
from jaxviz.display import wire
from jaxviz.display.bundle import whole_bundle
from jaxviz.program import Program
from jaxviz.tools.job.record import Held, Job

PROGRAMS_BYTES = 100_000
"""How many bytes the programs beside the one that is seen first may have in an output."""


class HeldProgram(NamedTuple):
    """A program as it is shown, and who holds it."""

    processes: Sequence[int]
    differs: str
    shown: Program | Comparison | None


def job_bundle(held: Sequence[HeldProgram]) -> dict[str, Any] | None:
    """The MIME bundle of the programs of a job, first the one that most hold: seen first is how
    another differs from it. None where there is none to be seen."""
    seen = [one.shown for one in held if one.shown is not None]
    if not seen:
        return None
    first = next((one for one in seen if isinstance(one, Comparison)), seen[0])
    room = PROGRAMS_BYTES
    records: list[Held] = []
    for processes, differs, shown in held:
        saved = None if shown is first else _saved(shown)
        saved = "" if saved and len(saved) > room else saved
        room -= len(saved or "")
        one = Held(processes=[*processes], differs=differs, program=saved)
        records.append(one)
    job = Job(held=records)
    return whole_bundle(first._stages, first.opening, job)


def _saved(shown: Program | Comparison | None) -> str:
    return "" if shown is None else b64encode(wire.encode(shown.record)).decode()
