"""Whether the processes of a job hold the same program, and how that is said. Nothing waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxviz.compare import Comparison
from jaxviz.display.running_cell import publish
from jaxviz.program import Program
from jaxviz.schema.graph import line_text
from jaxviz.tools.job.held import HeldProgram, job_bundle
from jaxviz.tools.job.text import branch_of

MOST_NAMED = 8
"""So many processes are named; of more, how many they are and the first."""
LATE = 1.0
"""A process that comes so many seconds after the first is late."""


@dataclass(frozen=True, slots=True)
class ProcessProgram:
    """What a process told of its program: names and digests, nothing of its arrays.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> [one] = jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0)).processes
    >>> (one.process, one.function)
    (0, 'sin')
    """

    process: int
    """Its number: `jax.process_index()`."""
    function: str
    jax: str
    """The version of JAX."""
    jaxpr: str
    """A digest of the jaxpr, and of the inputs and results with their types."""
    stablehlo: str
    """A digest of the StableHLO, in which shardings and the function's name are, too."""
    came: float
    """When it called `agree`: seconds since 1970, by the clock of its host."""
    lowered: float
    """How long it lowered the program for its digest, in seconds."""
    traced: float = 0.0
    """How long it had traced the call before, in seconds."""
    compiled: float = 0.0
    """How long it had compiled it before, in seconds; 0 where its HLO was not asked for."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Processes that hold another program than most.

    Examples
    --------
    >>> import jaxviz
    >>> jaxviz.Difference((1, 3), None, "step").processes
    (1, 3)
    """

    processes: tuple[int, ...]
    comparison: Comparison | None
    """From the program that most hold to theirs. None where the jaxprs are equal and StableHLO
    alone differs, and where the programs are too large to send, or did not come in time."""
    cause: str
    """What else is known of it, in a clause: `their jaxprs are equal, but not their StableHLO`."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the processes of a job told of their programs.

    As the last value of a cell it is a few sentences and, where programs differ, one picture with
    a switch of processes; of several processes the first one says it for all.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> jaxviz.agree(jaxviz.inspect(jnp.sin)(1.0)).same
    True
    """

    processes: tuple[ProcessProgram, ...]
    """Those that told of their program, by number."""
    missing: tuple[int, ...] = ()
    """Those that told nothing of their program in time."""
    lowering: tuple[int, ...] = ()
    """Those of the missing that came, and were still lowering."""
    differences: tuple[Difference, ...] = ()
    timeout: float = 0.0
    """For how many seconds this process waited for the others."""
    process: int = 0
    """The number of this process."""
    program: Program | None = None
    """Where programs differ, the one that most processes hold; None where it is too large to
    send."""

    gone_on: tuple[int, ...] = ()
    """Those that had waited for this process as long as they do, and went on before it came."""

    @property
    def same(self) -> bool:
        """Whether all processes told of their program in time, and all programs are the same."""
        return not (self.missing or self.differences or self.gone_on)

    def __str__(self) -> str:
        return self._said(listings=True)

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        first = self.processes[0].process if self.processes else self.process
        if first != self.process and not self.gone_on:
            print(f"Process {first} says what all told.")
            return
        print(self._said(listings=False))
        if self.differences and (bundle := job_bundle(self._held())):
            publish(bundle)

    def _held(self) -> list[HeldProgram]:
        most = HeldProgram([one.process for one in self._most()], "", self.program)
        others = [HeldProgram(one.processes, one.cause, one.comparison) for one in self.differences]
        return [most, *others]

    def _most(self) -> list[ProcessProgram]:
        """The processes that hold the program that most hold."""
        odd = {process for one in self.differences for process in one.processes}
        return [one for one in self.processes if one.process not in odd]

    def _said(self, listings: bool) -> str:
        if self.same:
            return self._agreed()
        most = self._most()
        parts = [self._different(one, most, listings) for one in self.differences]
        silent = [one for one in self.missing if one not in self.lowering]
        if silent:
            parts.append(
                f"{named(silent)} told nothing within {self.timeout:g} s: not yet at this "
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
        """Who came last, where that was later than clocks and chance may explain."""
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
        held = f"the program of {most[0].function} that {named_in([p.process for p in most])} has"
        if len(most) > 1:
            held = held.removesuffix("has") + "have"
        lines = [f"{named(odd)} {verb} another program than {held}: {difference.cause}."]
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
    """Processes within a sentence; of many, how many they are."""
    if len(processes) > MOST_NAMED:
        return f"{len(processes):,} processes ({processes[0]}, {processes[1]}, …)"
    if len(processes) == 1:
        return f"process {processes[0]}"
    *some, last = map(str, processes)
    return f"processes {', '.join(some)} and {last}"
