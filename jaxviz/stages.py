"""The stages of a program. The jaxpr exists at once, and each later stage is made on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any, Literal, get_args

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.calls import with_call
from jaxviz.analysis.collectives import with_collectives
from jaxviz.analysis.cost import with_costs
from jaxviz.analysis.findings import findings
from jaxviz.analysis.groups import with_groups
from jaxviz.analysis.links import guess_origins
from jaxviz.analysis.outliers import with_outliers
from jaxviz.capture.artifacts.jax_objects import LaterStages
from jaxviz.capture.jaxprs.constants import Digests
from jaxviz.capture.rerun import Rerun, rerun_program
from jaxviz.capture.stages.compiling import OnStep, RefusedError
from jaxviz.capture.stages.lowering import without
from jaxviz.capture.tracing.trace import CallAgain
from jaxviz.safety.background import Job, NobodyWaits, OnProgress, Result, fulfil, in_background
from jaxviz.schema import first_made
from jaxviz.sentences import sentence, sentence_of

StageKind = Literal["jaxpr", "stablehlo", "hlo"]
AddMeasurements = Callable[[schema.Stage], schema.Stage]
MeasurePart = Callable[[Sequence[int]], Any]
"""Runs a program again, for a record of some eqns. Raises ValueError, with a sentence, if it cannot
run."""
STAGE_KINDS: tuple[StageKind, ...] = get_args(StageKind)
"""All stages in order."""


Recompile = Callable[[schema.Program, LaterStages, OnStep], Result]
"""Lets XLA compile a program again, and reads a result from that."""


class Stages:
    """The stages of one program that were made so far, and the maker of the others. Thread-safe."""

    def __init__(
        self,
        captured: schema.Program,
        later: LaterStages | None,
        jaxpr: Callable[[], schema.Stage] | None = None,
        again: CallAgain | None = None,
        measured: AddMeasurements | None = None,
    ) -> None:
        """`jaxpr` makes the first stage of a program that was captured without it. `again` makes
        the call again, for another trace. `measured` adds a run's measurements to a stage."""
        self.again = again
        self.part: MeasurePart | None = None
        self._measured = measured
        self.traced = 0.0
        """The seconds that tracing took; 0 if unknown."""
        self._record = captured
        self._jaxpr = jaxpr
        self._later = later
        self._constants = getattr(later, "constants", None)
        self._lock = Lock()
        self._one_at_a_time = Lock()
        self._writing = Lock()
        self._jobs: dict[str, Job[schema.Stage]] = {}
        self._recompiled: dict[Recompile[Any], Job[Any]] = {}
        self._is_recompiled = False
        self._shown: tuple[schema.Program | None, schema.Program] = None, captured

    @property
    def record(self) -> schema.Program:
        """The program with all stages that were made so far. Makes the jaxpr if needed."""
        with self._writing:
            if self._jaxpr is not None:
                jaxpr = finished(self._jaxpr(), None, self._record.listings)
                self._record = replace(self._record, stages=[jaxpr])
                self._jaxpr = None
        return self._record

    @property
    def shown(self) -> schema.Program:
        """The record with its findings, which are cached until there is a new stage."""
        record = self.record
        of, found = self._shown
        if of is not record:
            found = replace(record, findings=findings(record))
            self._shown = record, found
        return found

    @property
    def head(self) -> schema.Program:
        """The program, perhaps without stages, for its name, arguments and results."""
        return self._record

    def rerun(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Rerun:
        """The program, ready to run again. Raises `CaptureError` if it cannot run."""
        return rerun_program(self.record, self._later, args, kwargs)

    def with_measurements(self, add: AddMeasurements, part: MeasurePart | None = None) -> Stages:
        """A copy whose stages have a run's measurements, also stages that are made later."""
        record = replace(self.record, stages=[*map(add, self.record.stages)])
        made = Stages(record, self._later, None, self.again, add)
        made._constants = self._constants
        made.part = part
        return made

    def constants(self) -> Digests | None:
        """Digests of the arrays that each graph of the jaxpr closes over, for comparisons within
        this kernel; None if they are not known."""
        return None if self._constants is None else self._constants.current()

    def stage(self, kind: str, on_progress: OnProgress | None = None) -> schema.Stage:
        """The stage `kind`, which is made if needed. Raises the errors of `job`."""
        return self.job(kind).wait(on_progress)

    def opened(self, opening: schema.Opening) -> schema.Program:
        """The program with the stage that `opening` shows first, which is made if needed. Raises
        the errors of `job`."""
        if opening.stage is not None:
            self.stage(opening.stage)
        return self.shown

    def job(self, kind: str) -> Job[schema.Stage]:
        """The job that makes the stage `kind`; a finished job if the stage exists.

        All requests for a stage share its job. A failed stage is tried again.

        Raises ValueError, with a sentence on what to do, if it cannot be made.
        """
        with self._lock:
            found = next((stage for stage in self.record.stages if stage.kind == kind), None)
            if found is None or (found.error is not None and self._later is not None):
                later = self._later_stages(kind)
                if kind not in self._jobs:
                    self._jobs[kind] = self._started(later, kind)
                return self._jobs[kind]
        done = Job[schema.Stage]()
        done.future.set_result(found)
        return done

    def recompiled(self, make: Recompile[Result], gone: schema.Sentence) -> Job[Result]:
        """The job in which XLA compiles the program again, and `make` reads a result. All requests
        with the same `make` share it. A failed job is started again.

        Raises ValueError with the sentence `gone` if the program can no longer be compiled."""
        with self._lock:
            job = self._recompiled.get(make)
            if job is None or (job.future.done() and job.future.exception() is not None):
                new, later = Job[Result](), self._later
                if later is None:
                    raise ValueError(gone)
                in_background(lambda: fulfil(new.future, lambda: self._recompile(make, later, new)))
                self._recompiled[make] = job = new
            return job

    def constants_written(self) -> int | None:
        """Bytes of constants that XLA would dump to a folder while it recompiles, if they need the
        user's consent."""
        size = 0 if self._recompiled or self._later is None else self._later.closed_over
        return size if size > MOST_WRITTEN else None

    def _recompile(self, make: Recompile[Result], later: LaterStages, job: Job[Result]) -> Result:
        def on_step(doing: str) -> bool:
            job.doing = doing
            return True

        with self._one_at_a_time:
            try:
                found = make(self.record, later, on_step)
            except RefusedError as error:
                raise ValueError(sentence_of(error)) from error
        with self._lock:
            self._is_recompiled = True
            self._drop_what_was_used()
        return found

    def _later_stages(self, kind: str) -> LaterStages:
        if kind not in STAGE_KINDS:
            kinds = ", ".join(repr(one) for one in STAGE_KINDS)
            raise ValueError(f"there is no stage {kind!r}: the stages are {kinds}.")
        if self._later is None:
            raise ValueError(
                f"the stage {kind!r} can not be made: this program was saved without it, or is of "
                f"a log. Capture the call with jaxviz.inspect, and call stage({kind!r})."
            )
        return self._later

    def _started(self, later: LaterStages, kind: str) -> Job[schema.Stage]:
        job = Job[schema.Stage]()
        in_background(lambda: self._work(later, kind, job))
        return job

    def _work(self, later: LaterStages, kind: str, job: Job[schema.Stage]) -> None:
        """Makes a stage and ends its job. A failure makes a stage with an error, never an
        exception."""

        def on_step(doing: str) -> bool:
            job.doing = doing
            return job.is_awaited

        is_new = True
        try:
            with self._one_at_a_time:
                first = first_made(self._record)
                stage = finished(later.stage(kind, first, on_step), first)
                stage = self._measured(stage) if self._measured else stage
        except NobodyWaits:  # but a request may come at this moment
            stage, is_new = without(kind, sentence("given up")), False
        except BaseException as error:  # nobody waits forever
            stage = without(kind, sentence("making failed", error=type(error).__name__))
        with self._lock:
            self._record = with_stage(self._record, stage) if is_new else self._record
            del self._jobs[kind]
            self._drop_what_was_used()
        job.future.set_result(stage)

    def _drop_what_was_used(self) -> None:
        """Drops the maker of stages after the last stage. It is retained for `passes`, unless these
        exist, too, or the program closes over large arrays."""
        whole = [one.kind for one in self._record.stages if one.error is None] == [*STAGE_KINDS]
        size = 0 if self._later is None else self._later.closed_over
        if whole and (self._is_recompiled or size > MOST_RETAINED):
            self.constants()
            self._later = None


def with_stage(record: schema.Program, stage: schema.Stage) -> schema.Program:
    """The program with this stage, which replaces one of its kind."""
    others = [one for one in record.stages if one.kind != stage.kind]
    stages = sorted([*others, stage], key=lambda one: STAGE_KINDS.index(one.kind))
    return replace(record, stages=stages)


def finished(
    stage: schema.Stage, jaxpr: schema.Stage | None, listings: Sequence[schema.Listing] = ()
) -> schema.Stage:
    """A stage with guessed links, groups, costs and outliers, which follow from the records. If one
    of these steps fails, a note reports it, and the others go on.

    `jaxpr` is the first stage of the same program, with an error if it is not known; None if
    `stage` is the first. `listings` has the code of the first stage.
    """
    if stage.error is not None:
        return stage
    if jaxpr is not None and jaxpr.error is not None and is_split_by_hand(stage):
        return replace(with_groups(stage, jaxpr), notes=[*stage.notes, sentence("on some devices")])
    for add, failure in (
        (guess_origins, "guess failed"),
        (partial(with_groups, listings=listings), "groups failed"),
        (with_call, "call failed"),
        (with_costs, "costs failed"),
        (with_collectives, "collectives failed"),
        (with_outliers, "strays failed"),
    ):
        try:
            stage = add(stage, jaxpr=jaxpr)
        except Exception as error:
            note = sentence(failure, error=type(error).__name__)
            stage = replace(stage, notes=[*stage.notes, note])
    return stage


MOST_WRITTEN = 1 << 10
"""Above this number of bytes, XLA dumps constants only with the user's consent."""
MOST_RETAINED = 1 << 16
"""Above this number of closed-over bytes, nothing is retained for `passes`."""


def is_split_by_hand(stage: schema.Stage) -> bool:
    """True if a stage of StableHLO has the body of a `shard_map`, which each device runs."""
    return any(eqn.op == "sdy.manual_computation" for graph in stage.graphs for eqn in graph.eqns)
