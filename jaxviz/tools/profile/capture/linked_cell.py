"""Links the instructions of a profiled cell to the eqns of a program. The numbered clone of the
program has the same instructions under the same names."""

from __future__ import annotations

from collections.abc import Iterable

import jax

from jaxviz.capture.artifacts.jax_objects import NO_TOKEN
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.stages._modules import live_modules
from jaxviz.capture.stages.hlo import stage_of
from jaxviz.capture.stages.hlo.shapes import module_of
from jaxviz.schema import Stage, empty
from jaxviz.tools.profile.capture.cell_runs import RanProgram
from jaxviz.tools.profile.capture.instruction_times import Measured, measurements
from jaxviz.tools.profile.capture.profiler_events import COMMAND_BUFFER, UNKNOWN
from jaxviz.tools.profile.capture.sessions import Run
from jaxviz.tools.profile.capture.shares import Shares


def instructions_of(hlo: Stage) -> dict[str, str]:
    """The type of each instruction by its name."""
    return {
        graph.vars[one].name: hlo.avals[graph.vars[one].aval].text
        for graph in hlo.graphs
        for eqn in graph.eqns
        for one in eqn.outvars
    }


def is_hidden(ran: RanProgram) -> bool:
    """True if XLA launched it whole as command buffers, so that the profile has no instruction of
    it."""
    names = {one.name for run in ran.runs for one in run.intervals}
    return bool(names) and not _instructions(names)


def is_clone(hlo: Stage, ran: RanProgram) -> bool:
    """True if a numbered clone has the instructions that ran, by name. If the executable is known,
    all others have to be equal, too."""
    known = instructions_of(hlo)
    names = _instructions(one.name for run in ran.runs for one in run.intervals)
    if not names <= {name.lstrip("%") for name in known}:
        return False
    own = _executable(ran.number)
    if own is None:
        return bool(names)
    return instructions_of(stage_of(own, "", empty(Stage, kind="jaxpr"), NO_TOKEN, [])) == known


def is_known(ran: RanProgram) -> bool:
    """True if the executable of that number still exists. A GPU's profiler does not report the
    number: then two programs may fit."""
    return _executable(ran.number) is not None


def _instructions(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith(COMMAND_BUFFER)}


def _executable(number: int) -> bytes | None:
    """The serialized module of that number, if its executable still exists."""
    return next((one for one in live_modules() if module_of(one).id == number), None)


def measured_in_cell(ran: RanProgram, hlo: Stage, jaxpr: Stage) -> Measured:
    """The times of a cell's runs, by the numbered clone of their program. Raises `CaptureError` if
    the device of an instruction is not reported and there are several, as up to JAX 0.6.2."""
    runs = [Run((run.end - run.start) / 1e12, run.intervals) for run in ran.runs if run.intervals]
    devices = {one.device for run in runs for one in run.intervals}
    if UNKNOWN in devices and jax.local_device_count() > 1:
        raise CaptureError(
            "the profiler of this version of JAX does not tell what ran on which device: a newer "
            "one does."
        )
    found = measurements(runs, (run.wall for run in runs), Shares(hlo, jaxpr))
    hidden = any(row.name.startswith(COMMAND_BUFFER) for row in found.rows)
    return Measured(found, hlo, in_cell=True, buffers="hide" if hidden else "")
