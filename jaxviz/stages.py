"""A program's stages: the jaxpr at once, each later one when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from threading import Lock, Thread
from time import monotonic
from typing import Generic, TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.cost import costed
from jaxviz.analysis.groups import grouped
from jaxviz.analysis.links import guessed
from jaxviz.capture.later import Later, without

KINDS = ("jaxpr", "stablehlo", "hlo")
"""All stages, in their order."""

Tell = Callable[[str, float], None]
"""Told what is being done, and for how many seconds a stage has been in the making."""

OFTEN = 0.5
"""Seconds between two times that somebody is told."""


Made = TypeVar("Made")


class Making(Generic[Made]):
    """What is being made, in a thread of its own: whoever waits for it may leave."""

    def __init__(self) -> None:
        self.future: Future[Made] = Future()
        self.doing = "waiting"
        self._start = monotonic()

    @property
    def seconds(self) -> float:
        return monotonic() - self._start

    def wait(self, tell: Tell | None = None) -> Made:
        """It, once it is there. An interrupt ends the waiting, not the making."""
        while True:
            try:
                return self.future.result(timeout=OFTEN)
            except TimeoutError:
                if tell is not None:
                    tell(self.doing, self.seconds)


class Stages:
    """What is known of a program, and what more can be made of it. Safe between threads."""

    def __init__(self, captured: schema.Program, later: Later | None) -> None:
        self._record = captured
        self._later = later
        self._lock = Lock()
        self._turn = Lock()
        self._making: dict[str, Making[schema.Stage]] = {}

    @property
    def record(self) -> schema.Program:
        """The program with all stages that were made so far."""
        return self._record

    def stage(self, kind: str, tell: Tell | None = None) -> schema.Stage:
        """The stage `kind`, made where it is not there yet. Raises as `making` does."""
        return self.making(kind).wait(tell)

    def opened(self, opening: schema.Opening) -> schema.Program:
        """The program with the stage that is to be seen first, made where it is not there yet.
        Raises as `making` does."""
        if opening.stage is not None:
            self.stage(opening.stage)
        return self.record

    def making(self, kind: str) -> Making[schema.Stage]:
        """The stage `kind`, in the making or made; whoever asks for the same shares it. What
        failed is tried anew.

        Raises ValueError, with a sentence on what to do, where it can not be made.
        """
        with self._lock:
            made = next((stage for stage in self._record.stages if stage.kind == kind), None)
            if made is None or (made.error is not None and self._later is not None):
                later = self._source(kind)
                if kind not in self._making:
                    self._making[kind] = self._begun(later, kind)
                return self._making[kind]
        making = Making[schema.Stage]()
        making.future.set_result(made)
        return making

    def _source(self, kind: str) -> Later:
        if kind not in KINDS:
            known = ", ".join(repr(one) for one in KINDS)
            raise ValueError(f"there is no stage {kind!r}: the stages are {known}.")
        if self._later is None:
            raise ValueError(
                f"the stage {kind!r} can not be made: this program was saved without it, or is of "
                f"a log. Capture the call with jaxviz.inspect, and call stage({kind!r})."
            )
        return self._later

    def _begun(self, later: Later, kind: str) -> Making[schema.Stage]:
        making = Making[schema.Stage]()
        # In the context of who asks, so that what is printed meanwhile is not taken for another's.
        work = copy_context().run
        Thread(
            target=work, args=(self._make, later, kind, making), daemon=True, name="jaxviz"
        ).start()
        return making

    def _make(self, later: Later, kind: str, making: Making[schema.Stage]) -> None:
        def tell(doing: str) -> None:
            making.doing = doing

        try:
            with self._turn:
                stage = finished(later.stage(kind, tell), self._record.stages[0])
        except BaseException as error:  # whatever it is, nobody waits for ever
            stage = without(kind, f"jaxviz failed to make it ({type(error).__name__}).")
        with self._lock:
            self._record = with_stage(self._record, stage)
            del self._making[kind]
            if [one.kind for one in self._record.stages if one.error is None] == [*KINDS]:
                self._later = None
        making.future.set_result(stage)


def with_stage(record: schema.Program, stage: schema.Stage) -> schema.Program:
    """The program with this stage, in its place."""
    others = [one for one in record.stages if one.kind != stage.kind]
    stages = sorted([*others, stage], key=lambda one: KINDS.index(one.kind))
    return replace(record, stages=stages)


def finished(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """With all that is found out from the records alone; what fails is a sentence in the notes.

    `jaxpr` is None where the stage is the jaxpr itself.
    """
    if stage.error is not None:
        return stage
    stage = _tried(
        partial(guessed, jaxpr=jaxpr),
        stage,
        "No link is guessed: jaxviz failed to guess",
    )
    stage = _tried(
        partial(grouped, jaxpr=jaxpr),
        stage,
        "The eqns are not grouped: jaxviz failed to group them",
    )
    return _tried(
        partial(costed, jaxpr=jaxpr),
        stage,
        "No flops and bytes are known: jaxviz failed to count them",
    )


def _tried(
    change: Callable[[schema.Stage], schema.Stage], stage: schema.Stage, failure: str
) -> schema.Stage:
    try:
        return change(stage)
    except Exception as error:
        return replace(stage, notes=[*stage.notes, f"{failure} ({type(error).__name__})."])
