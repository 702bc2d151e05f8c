"""A program's stages: the jaxpr is there at once, each later one is made when first asked for."""

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
from jaxviz.capture.stages.compiling import RefusedError, Tell
from jaxviz.capture.stages.lowering import without
from jaxviz.capture.tracing.trace import CallAgain
from jaxviz.safety.background import Job, NobodyWaits, OnProgress, Result, in_background, settle
from jaxviz.schema import first_made
from jaxviz.sentences import sentence, sentence_of

StageKind = Literal["jaxpr", "stablehlo", "hlo"]
AddMeasurements = Callable[[schema.Stage], schema.Stage]
MeasurePart = Callable[[Sequence[int]], Any]
"""Runs a program once more, for a record of some eqns. Raises ValueError, with a sentence, where it
cannot."""
STAGE_KINDS: tuple[StageKind, ...] = get_args(StageKind)
"""All stages, in their order."""


Recompile = Callable[[schema.Program, LaterStages, Tell], Result]
"""Has XLA compile a program once more, and reads what it needs from that."""


class Stages:
    """The stages of one program that were made so far, and what the others are made from.
    Thread-safe."""

    def __init__(
        self,
        captured: schema.Program,
        later: LaterStages | None,
        jaxpr: Callable[[], schema.Stage] | None = None,
        again: CallAgain | None = None,
        measured: AddMeasurements | None = None,
    ) -> None:
        """`jaxpr` makes the first stage of a program that is captured without; `again` gives its
        call, to be traced once more; `measured` adds measurements of a run to
        stages."""
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
        """The program with all stages that were made so far; the jaxpr is made for it."""
        with self._writing:
            if self._jaxpr is not None:
                jaxpr = finished(self._jaxpr(), None, self._record.listings)
                self._record = replace(self._record, stages=[jaxpr])
                self._jaxpr = None
        return self._record

    @property
    def shown(self) -> schema.Program:
        """The record with its findings, as it is shown, sent and saved. They are looked for once
        for the stages that there are."""
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
        """The program, to be run once more. Raises `CaptureError` where that cannot be."""
        return rerun_program(self.record, self._later, args, kwargs)

    def ran(self, add: AddMeasurements, part: MeasurePart | None = None) -> Stages:
        """The same stages with measurements of a run, also for stages that are made later."""
        record = replace(self.record, stages=[*map(add, self.record.stages)])
        made = Stages(record, self._later, None, self.again, add)
        made._constants = self._constants
        made.part = part
        return made

    def constants(self) -> Digests | None:
        """Digests of the arrays that each graph of the jaxpr closes over, for comparisons in this
        kernel alone; None if they are not known."""
        return None if self._constants is None else self._constants.current()

    def stage(self, kind: str, tell: OnProgress | None = None) -> schema.Stage:
        """The stage `kind`, made first where needed. Raises as `job` does."""
        return self.job(kind).wait(tell)

    def opened(self, opening: schema.Opening) -> schema.Program:
        """The program with the stage that `opening` shows first, made first where needed. Raises as
        `job` does."""
        if opening.stage is not None:
            self.stage(opening.stage)
        return self.shown

    def job(self, kind: str) -> Job[schema.Stage]:
        """The job that makes the stage `kind`; a finished one where the stage is there already.

        Whoever asks for the same stage shares its job. A stage that failed is tried again.

        Raises ValueError, with a sentence on what to do, where it can not be made.
        """
        with self._lock:
            found = next((stage for stage in self.record.stages if stage.kind == kind), None)
            if found is None or (found.error is not None and self._later is not None):
                later = self._source(kind)
                if kind not in self._jobs:
                    self._jobs[kind] = self._started(later, kind)
                return self._jobs[kind]
        done = Job[schema.Stage]()
        done.future.set_result(found)
        return done

    def recompiled(self, make: Recompile[Result], gone: schema.Sentence) -> Job[Result]:
        """The job in which XLA compiles the program once more, for what `make` reads from it,
        shared by all who ask for the same. One that failed is begun again.

        Raises ValueError with the sentence `gone` where the call is no longer known."""
        with self._lock:
            job = self._recompiled.get(make)
            if job is None or (job.future.done() and job.future.exception() is not None):
                new, later = Job[Result](), self._later
                if later is None:
                    raise ValueError(gone)
                in_background(lambda: settle(new.future, lambda: self._recompile(make, later, new)))
                self._recompiled[make] = job = new
            return job

    def constants_written(self) -> int | None:
        """Bytes of constants that XLA would dump to a folder while it recompiles, if they need the
        user's consent."""
        size = 0 if self._recompiled or self._later is None else self._later.closed_over
        return size if size > MOST_WRITTEN else None

    def _recompile(self, make: Recompile[Result], later: LaterStages, job: Job[Result]) -> Result:
        def tell(doing: str) -> bool:
            job.doing = doing
            return True

        with self._one_at_a_time:
            try:
                found = make(self.record, later, tell)
            except RefusedError as error:
                raise ValueError(sentence_of(error)) from error
        with self._lock:
            self._is_recompiled = True
            self._drop_what_was_used()
        return found

    def _source(self, kind: str) -> LaterStages:
        if kind not in STAGE_KINDS:
            known = ", ".join(repr(one) for one in STAGE_KINDS)
            raise ValueError(f"there is no stage {kind!r}: the stages are {known}.")
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

        def tell(doing: str) -> bool:
            job.doing = doing
            return job.is_awaited

        is_kept = True
        try:
            with self._one_at_a_time:
                first = first_made(self._record)
                stage = finished(later.stage(kind, first, tell), first)
                stage = self._measured(stage) if self._measured else stage
        except NobodyWaits:  # but one may come at this moment
            stage, is_kept = without(kind, sentence("given up")), False
        except BaseException as error:  # whatever it is, nobody waits for ever
            stage = without(kind, sentence("making failed", error=type(error).__name__))
        with self._lock:
            self._record = with_stage(self._record, stage) if is_kept else self._record
            del self._jobs[kind]
            self._drop_what_was_used()
        job.future.set_result(stage)

    def _drop_what_was_used(self) -> None:
        """Drops what stages are made from once all are there. For the passes it is kept, unless
        they are there too, or it closes over large arrays."""
        whole = [one.kind for one in self._record.stages if one.error is None] == [*STAGE_KINDS]
        held = 0 if self._later is None else self._later.closed_over
        if whole and (self._is_recompiled or held > MOST_HELD):
            self.constants()
            self._later = None


def with_stage(record: schema.Program, stage: schema.Stage) -> schema.Program:
    """The program with this stage added, or put in place of the one of its kind."""
    others = [one for one in record.stages if one.kind != stage.kind]
    stages = sorted([*others, stage], key=lambda one: STAGE_KINDS.index(one.kind))
    return replace(record, stages=stages)


def finished(
    stage: schema.Stage, jaxpr: schema.Stage | None, listings: Sequence[schema.Listing] = ()
) -> schema.Stage:
    """A stage with its guessed links, groups and costs, which follow from the records alone. Where
    one of the three fails, the stage goes without it and its notes say so.

    `jaxpr` is the first stage of the same program, with an error where it is not known; None where
    `stage` is that itself, which was made from the lines of `listings`.
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
MOST_HELD = 1 << 16
"""Above this number of closed-over bytes, nothing is kept for `passes`."""


def is_split_by_hand(stage: schema.Stage) -> bool:
    """True if a stage of StableHLO has the body of a `shard_map`, which each device runs."""
    return any(eqn.op == "sdy.manual_computation" for graph in stage.graphs for eqn in graph.eqns)
