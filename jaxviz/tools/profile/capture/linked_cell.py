"""Leads from what a profiled cell ran to the eqns of a program: its numbered clone has the same
instructions under the same names."""

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
    """Whether XLA launched it whole as command buffers, so that no instruction of it is told."""
    told = {one.name for run in ran.runs for one in run.intervals}
    return bool(told) and not _instructions(told)


def is_clone(hlo: Stage, ran: RanProgram) -> bool:
    """Whether a numbered clone has the instructions that ran, by their names; and, where the
    executable is known, whether all others are the same."""
    known = instructions_of(hlo)
    told = _instructions(one.name for run in ran.runs for one in run.intervals)
    if not told <= {name.lstrip("%") for name in known}:
        return False
    own = _executable(ran.number)
    if own is None:
        return bool(told)
    return instructions_of(stage_of(own, "", empty(Stage, kind="jaxpr"), NO_TOKEN, [])) == known


def is_known(ran: RanProgram) -> bool:
    """Whether the executable is still there, by its number, which a GPU's profiler does not tell:
    else two programs may fit."""
    return _executable(ran.number) is not None


def _instructions(names: Iterable[str]) -> set[str]:
    return {name for name in names if not name.startswith(COMMAND_BUFFER)}


def _executable(number: int) -> bytes | None:
    """The serialized module of that number, if its executable is still there."""
    return next((one for one in live_modules() if module_of(one).id == number), None)


def measured_in_cell(ran: RanProgram, hlo: Stage, jaxpr: Stage) -> Measured:
    """What the runs of a cell took, by the numbered clone of their program. Raises `CaptureError`
    where it is not told which of several devices ran what, as up to JAX 0.6.2."""
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
