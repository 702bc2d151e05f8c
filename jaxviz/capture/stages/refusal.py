"""Says in one sentence why a later stage could not be made."""

from __future__ import annotations

import jax

from jaxviz.capture.jaxprs.inlined import (
    LONGEST_RUN,
    MOST_ELSEWHERE,
    MOST_EQNS,
    inlined_eqns,
    longest_run,
)
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.other_interpreter import NoAnswerError, NoRoomError, lacks_memory
from jaxviz.capture.stages.platforms import line_refused
from jaxviz.capture.stages.stablehlo.attributes import elided
from jaxviz.safety import files
from jaxviz.schema import Sentence, Stage, empty
from jaxviz.schema.graph import outside_in
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence


def refusal(
    doing: str, error: Exception, jaxpr: Stage | None = None, platform: str = ""
) -> Sentence:
    """What failed while `doing`, the first line of the reason, where in the program, and what to
    do. `platform` is the one that it was lowered for, if not that of this process."""
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    lines = elided(said).strip().splitlines()
    reason = name(lines[0]).rstrip(".: ") if lines else "no reason given"
    kind = "" if isinstance(error, NoAnswerError) else f"{type(error).__name__}: "
    return sentence(
        f"failed, {doing.removesuffix(ELSEWHERE)}",
        platform=platform or jax.default_backend(),
        reason=f"{kind}{reason}",
        at=line_refused(reason, jaxpr) if jaxpr is not None and doing == "lowering" else NOTHING,
        way=sentence(_way_on(error, reason)),
    )


ELSEWHERE = " in another process"
"""Ends the progress word of what another process does."""
DEEPEST = 64
"""Programs with more levels of bodies are not compiled: XLA ends the whole process at 100 nested
scans (seen on 0.10.2, where Python's recursion limit is high enough for JAX to lower them)."""


def could_end_the_kernel(jaxpr: Stage) -> Sentence | None:
    """Why the program is not compiled here, where that could end the process; else None."""
    for found, most, key in (
        (_levels, DEEPEST, "never, nested"),
        (longest_run, LONGEST_RUN, "never, fused"),
        (inlined_eqns, MOST_EQNS, "never, large"),
    ):
        count = found(jaxpr)
        if count > most:
            return sentence(key, count=count, most=most)
    return None


def would_never_end(stage: Stage) -> Sentence | None:
    """Why the program is not even compiled by another process; None where that may be tried."""
    count, most = inlined_eqns(stage), MOST_ELSEWHERE
    return sentence("never, large", count=count, most=most) if count > most else None


def _levels(jaxpr: Stage) -> int:
    """How many levels of bodies are nested in one another, at most."""
    levels = [0] * len(jaxpr.graphs)
    for number in outside_in(jaxpr.graphs):
        for body in _held(jaxpr, number):
            levels[body] = max(levels[body], levels[number] + 1)
    return max(levels)


def _held(jaxpr: Stage, graph: int) -> list[int]:
    return [body.graph for eqn in jaxpr.graphs[graph].eqns for body in eqn.bodies]


def _way_on(error: Exception, reason: str) -> str:
    """The key of what to do."""
    if files.none_left():
        return "way, files"
    if isinstance(error, RecursionError):
        return "way, nested"
    if isinstance(error, NoRoomError):
        return "way, no other process"
    if isinstance(error, MemoryError) or lacks_memory(reason.encode()):
        return "way, memory"
    return "way, repeated" if isinstance(error, NoAnswerError) else "way, other stages"


def without(kind: str, reason: Sentence) -> Stage:
    """A stage that could not be made."""
    return empty(Stage, kind=kind, error=reason)
