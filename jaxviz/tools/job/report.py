"""The result of `agree`: the programs of a job's processes, as sentences and as one output with a
switch of processes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from jaxviz import schema
from jaxviz.compare import Comparison
from jaxviz.display import wire
from jaxviz.display.bundle import whole_bundle
from jaxviz.display.running_cell import publish
from jaxviz.displayed import Report
from jaxviz.program import Program, encoded_program
from jaxviz.schema import Words
from jaxviz.schema.graph import line_text
from jaxviz.tools.job.record import Job, JobAgreement, JobProgram, ProcessProgram
from jaxviz.tools.job.text import branch_of

MOST_NAMED = 8
"""The most processes that are named. Of more, the text has their number and the first."""
LATE = 1.0
"""The seconds after the first process from which another process is late."""
PROGRAMS_BYTES = 100_000
"""The most bytes, in an output, of all programs except the one shown first."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Processes with another program than most.

    Examples
    --------
    >>> import jaxviz
    >>> jaxviz.Difference((1, 3), None, "step").processes
    (1, 3)
    """

    processes: tuple[int, ...]
    comparison: Comparison | None
    """The comparison of the program of most processes with theirs. None if only the StableHLO
    differs, and if the programs are too large to send, or did not come in time."""
    cause: Words
    """A further cause, in a clause: `their jaxprs are equal, but not their StableHLO`."""


@dataclass(frozen=True, slots=True)
class Agreement(Report):
    """The reports of a job's processes on their programs.

    As the last value of a cell it is a few sentences and, if programs differ, one picture with a
    switch of processes. If several processes have a notebook, the first one shows it for all.
    `save` writes it to a file.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0)).same
    True
    """

    _reads = Job
    _is_text = True

    processes: tuple[ProcessProgram, ...]
    """The processes that reported their program, by number."""
    missing: tuple[int, ...] = ()
    """The processes that reported no program in time."""
    lowering: tuple[int, ...] = ()
    """The missing processes that arrived, and were still lowering."""
    differences: tuple[Difference, ...] = ()
    timeout: float = 0.0
    """The number of seconds that this process waited for the others."""
    process: int = 0
    """The number of this process."""
    program: Program | None = None
    """The program of most processes, if programs differ; None if it is too large to send."""

    gone_on: tuple[int, ...] = ()
    """The processes whose timeout ended before this process arrived, and that went on."""
    _is_loaded: bool = field(default=False, compare=False, repr=False)
    """True if it was read from a file: then no other process shows the same."""

    @property
    def same(self) -> bool:
        """True if all processes reported their program in time, and all programs are the same."""
        return not (self.missing or self.differences or self.gone_on)

    def __str__(self) -> str:
        return self._text(listings=True)

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        first = self.processes[0].process if self.processes else self.process
        if first != self.process and not (self.gone_on or self._is_loaded):
            print(f"Process {first} shows the reports of all.")
            return
        print(self._text(listings=False))
        if self.differences and first_of(self._programs()):
            publish(self._bundle())

    @property
    def record(self) -> Job:
        """The reports of all processes, as they are saved."""
        fields = JobAgreement.__struct_fields__
        reported = {name: getattr(self, name) for name in fields}
        return Job(
            held=records_of(self._programs()) if self.differences else [],
            text=str(self),
            agreement=msgspec.convert(reported, JobAgreement, from_attributes=True),
        )

    @classmethod
    def _loaded(cls, program: Program, record: Job) -> Agreement:
        if record.agreement is None:
            raise msgspec.ValidationError("the job has no agreement")
        reported = record.agreement
        if not (reported.processes or reported.missing or reported.gone_on):
            raise msgspec.ValidationError("the job has no process")
        most, *others = [(one, shown_in(one, program)) for one in record.held] or [(None, None)]
        return cls(
            processes=(*reported.processes,),
            missing=(*reported.missing,),
            lowering=(*reported.lowering,),
            timeout=reported.timeout,
            process=reported.process,
            gone_on=(*reported.gone_on,),
            differences=tuple(
                Difference((*one.processes,), shown, one.differs)
                for one, shown in others
                if one is not None and not isinstance(shown, Program)
            ),
            program=most[1] if isinstance(most[1], Program) else None,
            _is_loaded=True,
        )

    def _of(self) -> Program | Comparison:
        return first_of(self._programs()) or Program(self._empty())

    def _empty(self) -> schema.Program:
        """A program of that name without eqns, if no program is available."""
        first = next(iter(self.processes), None)
        stage = schema.empty(schema.Stage, kind="jaxpr", graphs=[schema.empty(schema.Graph)])
        return schema.empty(
            schema.Program,
            version=schema.VERSION,
            jax=first.jax if first else "",
            name=first.function if first else "",
            stages=[stage],
        )

    def _in_output(self) -> Job:
        return Job(held=records_of(self._programs(), PROGRAMS_BYTES), text="", agreement=None)

    def _bundle(self) -> dict[str, Any]:
        of = self._of()
        return whole_bundle(of._stages, of.opening, self._in_output())

    def _programs(self) -> list[ProgramOfProcesses]:
        most = ProgramOfProcesses([one.process for one in self._most()], "", self.program)
        others = [
            ProgramOfProcesses(one.processes, one.cause, one.comparison) for one in self.differences
        ]
        return [most, *others]

    def _most(self) -> list[ProcessProgram]:
        """The processes with the program of most."""
        odd = {process for one in self.differences for process in one.processes}
        return [one for one in self.processes if one.process not in odd]

    def _text(self, listings: bool) -> str:
        if self.same:
            return self._agreed()
        most = self._most()
        parts = [self._different(one, most, listings) for one in self.differences]
        missing = [one for one in self.missing if one not in self.lowering]
        if missing:
            parts.append(
                f"{named(missing)} reported nothing within {self.timeout:g} s: not yet at this "
                "call of jaxviz.agree, or ended."
            )
        if self.lowering:
            verb = "was" if len(self.lowering) == 1 else "were"
            parts.append(f"{named(self.lowering)} {verb} still lowering after {self.timeout:g} s.")
        if self.gone_on:
            waited = f"{named(self.gone_on)} had waited for process {self.process}"
            parts.append(f"{waited}, and went on without it.")
        return "\n".join(parts + self._late())

    def _late(self) -> list[str]:
        """The last process, if it was later than clocks and chance may explain."""
        by_arrival = sorted(self.processes, key=lambda one: one.came)
        if not by_arrival or (late := by_arrival[-1].came - by_arrival[0].came) < LATE:
            return []
        first, last = by_arrival[0], by_arrival[-1]
        came = f"{named([last.process])} came last, {late:.1f} s after process {first.process}"
        traced = f"tracing had taken it {last.traced:.1f} s"
        if last.compiled:
            traced += f" and compiling {last.compiled:.1f} s"
        lowered = f"lowering took {last.lowered:.1f} s more"
        return [f"{came} by the clocks of their hosts; {traced}, and {lowered}."]

    def _agreed(self) -> str:
        count, function = len(self.processes), self.processes[0].function
        if count == 1:
            return f"There is 1 process, which has its program of {function} alone."
        same = f"{count} processes hold the same program of {function}."
        return "\n".join([same, *self._late()])

    def _different(
        self, difference: Difference, most: Sequence[ProcessProgram], listings: bool
    ) -> str:
        odd = difference.processes
        verb = "holds" if len(odd) == 1 else "hold"
        usual = f"the program of {most[0].function} that {named_in([p.process for p in most])} has"
        if len(most) > 1:
            usual = usual.removesuffix("has") + "have"
        lines = [f"{named(odd)} {verb} another program than {usual}: {difference.cause}."]
        if difference.comparison is not None:
            lines += _place(difference.comparison)
        if difference.comparison is not None and listings:
            lines += [f"  {line}".rstrip() for line in str(difference.comparison).splitlines()]
        return "\n".join(lines)


def _place(comparison: Comparison) -> list[str]:
    """The line of the first eqn that differs."""
    stage = comparison.record.stages[0]
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    for mark in comparison.marks:
        frame = eqns[mark.eqn].frame
        if frame is not None:
            line = stage.frames[frame]
            branch = branch_of(comparison.record.listings, line)
            within = f", within: {branch}" if branch else ""
            return [f"  The first that differs is of {line_text(line)}{within}."]
    return []


def named(processes: Sequence[int]) -> str:
    """Processes at the start of a sentence."""
    text = named_in(processes)
    return text[0].upper() + text[1:]


def named_in(processes: Sequence[int]) -> str:
    """Processes within a sentence. For many, their number."""
    if len(processes) > MOST_NAMED:
        return f"{len(processes):,} processes ({processes[0]}, {processes[1]}, …)"
    if len(processes) == 1:
        return f"process {processes[0]}"
    *some, last = map(str, processes)
    return f"processes {', '.join(some)} and {last}"


class ProgramOfProcesses(NamedTuple):
    """A program as it is shown, and its processes."""

    processes: Sequence[int]
    differs: Words
    shown: Program | Comparison | None


def first_of(programs: Sequence[ProgramOfProcesses]) -> Program | Comparison | None:
    """The program that is shown first: the difference between another program and that of most
    processes. None if no program is available."""
    seen = [one.shown for one in programs if one.shown is not None]
    compared = (one for one in seen if isinstance(one, Comparison))
    return next(compared, next(iter(seen), None))


def records_of(programs: Sequence[ProgramOfProcesses], room: int | None = None) -> list[JobProgram]:
    """The programs as records. All except the first shown may have `room` bytes; None means no
    limit."""
    first = first_of(programs)
    records: list[JobProgram] = []
    for processes, differs, shown in programs:
        saved = None if shown is first and first is not None else _saved(shown)
        if saved and room is not None:
            saved = saved if len(saved) <= room else ""
            room -= len(saved)
        one = JobProgram(processes=[*processes], differs=differs, program=saved)
        records.append(one)
    return records


def shown_in(record: JobProgram, first: Program) -> Program | Comparison | None:
    """The program of a record. `first` is the one that the record omits."""
    if record.program == "":
        return None
    program = first.record if record.program is None else encoded_program(record.program)
    return Program(program) if program.compared is None else Comparison(program)


def _saved(shown: Program | Comparison | None) -> str:
    return "" if shown is None else b64encode(wire.encode(shown.record)).decode()
