"""Where the time of a profiled cell went, and what its programs took at your lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.capture import CaptureError, capture
from jaxviz.capture.profiling.cell_runs import RanProgram
from jaxviz.capture.profiling.cell_session import CellSession, ProfiledCell
from jaxviz.capture.profiling.linked_cell import (
    instructions_of,
    is_clone,
    is_hidden,
    is_known,
    measured_in_cell,
)
from jaxviz.capture.profiling.peak import measured_peak
from jaxviz.display.bundle import shown
from jaxviz.program import Program
from jaxviz.reports.profile import AskedPeak, Profile, checked_peak
from jaxviz.running.option import Option
from jaxviz.running.profile import PEAK
from jaxviz.session import Log
from jaxviz.session.cell_times import calls_text, cell_times_text

GONE = (
    "it is not known which call this program is of: its function was called once alone, or is "
    "gone. Give its program: log.profile.of({0!r}, jaxviz.inspect(f)(x))."
)
SEVERAL = (
    "several calls of {0} have instructions of the names that ran, and it is not told of which "
    "this program is. Give its program: log.profile.of({1}, jaxviz.inspect(f)(x))."
)
HIDDEN = (
    "XLA launched this program in command buffers, and of what runs in these the profiler tells no "
    "instruction. jaxviz.profile(f)(x) compiles it without them."
)
NOT_PROFILED = "This was not profiled: {}"
NOT_THIS = "{} is not the program that ran: its instructions are others."


def profile_begun(log: Log) -> CellSession | None:
    """Begin to profile what runs. Where that cannot be, the log says so in a sentence."""
    try:
        return CellSession(lambda: log.running)
    except CaptureError as error:
        log.note(NOT_PROFILED.format(error))
    except Exception as error:
        log.note(NOT_PROFILED.format(f"jaxviz failed to begin ({type(error).__name__})."))
    return None


@contextmanager
def profile_ended(log: Log, profile: CellSession | None) -> Iterator[None]:
    """End the profile, if there is one; the log is closed within this context."""
    if profile is not None:
        profile.stop()
    try:
        yield
    finally:
        if profile is not None:
            try:
                log.profiled(profile.told())
            except CaptureError as error:
                log.note(NOT_PROFILED.format(error))
            except Exception as error:
                log.note(NOT_PROFILED.format(f"jaxviz failed to read it ({type(error).__name__})."))


def cell_profile(log: Log) -> CellProfile | None:
    """Give what the profile of a log told; None where there was none in this process."""
    times = None if log.cell is None else log.record().profile
    return CellProfile(log.cell, times) if log.cell and times else None


def displayed(log: Log, number: int, peak: AskedPeak = None) -> schema.Display:
    """Give what a page shows of a program that ran while the log was profiled. `peak` is as in
    `jaxviz.profile`."""
    found = cell_profile(log)
    if found is None:
        raise ValueError("what was profiled is gone: run the cell again.")
    return found.displayed(number, peak)


class CellProfile:
    """What JAX's profiler told while a cell, or the block of a `watch`, ran. Nothing is run for it.

    `print` gives the parts of its time, and the programs that ran.

    Attributes
    ----------
    times : CellTimes
        The parts of its time, in seconds: `running`, `making` (tracing, lowering, compiling),
        `moving` (arrays), `rest` (Python and waiting); and `programs`.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> @jax.jit
    ... def step(x):
    ...     return jnp.tanh(x @ x)
    >>> with jaxviz.watch(profile=True) as log:
    ...     for _ in range(5):
    ...         x = jax.block_until_ready(step(jnp.ones((300, 300))))
    >>> sorted(log.profile.of("step").lines[0].ops)
    ['dot_general', 'tanh']
    """

    def __init__(self, cell: ProfiledCell, times: schema.CellTimes) -> None:
        self._cell = cell
        self.times = times

    def of(
        self, program: str | int, linked: Program | None = None, *, peak: AskedPeak = None
    ) -> Profile[Program]:
        """Give what one of the programs took, by instruction and by line.

        It is compiled once more for this, with its eqns numbered: its instructions have the same
        names then, which lead to the eqns. Your Python does not run again.

        Parameters
        ----------
        program : str or int
            Its name in `times.programs`, of several the one that took longest; or its `number`.
        linked : Program, optional
            The program as `jaxviz.inspect` captures it. By default it is found by the calls that
            the profiler heard.
        peak : (float, float) or "measured", optional
            As in `jaxviz.profile`.

        Raises
        ------
        ValueError
            Where no such program ran, where its call is not known, where `linked` is another, and
            where XLA launched all of it in command buffers of a GPU, which hide instructions.
        """
        most = checked_peak(peak)
        ran = self._ran(program)
        if is_hidden(ran):
            raise ValueError(HIDDEN)
        found = self._found(ran) if linked is None else linked
        if linked is not None and not _fits(linked, ran):
            raise ValueError(NOT_THIS.format(linked.name))
        told = measured_in_cell(ran, found.stage("hlo"), found.stage("jaxpr"))
        most = measured_peak() if most == "measured" else most
        return Profile(found, told._replace(peak=most))

    def _found(self, ran: RanProgram) -> Program:
        """Raises ValueError where it is not known which program ran."""
        name = ran.module.removeprefix("jit_")
        fitting = (one for one in self._candidates(ran) if _fits(one, ran))
        found = next(fitting, None)
        if found is None:
            raise ValueError(GONE.format(name))
        if not is_known(ran):
            known = instructions_of(found.stage("hlo"))
            if any(instructions_of(other.stage("hlo")) != known for other in fitting):
                raise ValueError(SEVERAL.format(name, ran.number))
        return found

    def _ran(self, program: str | int) -> RanProgram:
        for told in self.times.programs:
            if program in (told.number, told.name):
                return next(one for one in self._cell.events.programs if one.number == told.number)
        known = ", ".join(dict.fromkeys(told.name for told in self.times.programs)) or "none"
        raise ValueError(f"no program {program!r} ran while this was profiled, but {known}.")

    def _candidates(self, ran: RanProgram) -> Iterator[Program]:
        for called in self._cell.functions:
            if called.module.rstrip("_") != ran.module.rstrip("_"):
                continue
            for fun, args, kwargs in called.noted():
                try:
                    yield Program(*capture(fun, args, kwargs))
                except CaptureError:
                    continue

    def displayed(self, number: int, peak: AskedPeak = None) -> schema.Display:
        """Give what a page shows of the program with that number."""
        found = self.of(number, peak=peak)
        return shown(found.program.record, found._in_output())

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each program that ran, for `pandas.DataFrame`. Times are in seconds."""
        return [
            {**msgspec.structs.asdict(one), "measured": calls_text(one)}
            for one in self.times.programs
        ]

    def __str__(self) -> str:
        return "\n".join(cell_times_text(self.times))

    __repr__ = __str__


def _fits(program: Program, ran: RanProgram) -> bool:
    hlo = program.stage("hlo")
    return hlo.error is None and is_clone(hlo, ran)


OPTION = Option(
    name="--profile",
    help="Also run the cell under JAX's profiler, for at most 10 seconds, 200,000 events or 200 "
    "MB, and show where the time went (programs, compiling, arrays, Python). Nothing is run twice. "
    "A button compiles a numbered copy of a program, and shows how long each line took.",
    python="jaxviz.watch(profile=True)",
    arguments=(PEAK,),
)
