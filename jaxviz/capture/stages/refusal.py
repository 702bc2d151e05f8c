"""Says in one sentence why a later stage could not be made."""

from __future__ import annotations

import jax

from jaxviz import descriptors
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
from jaxviz.schema import Stage, empty
from jaxviz.schema.graph import outside_in

_SUBJECTS = {
    "lowering": "JAX could not lower the program",
    "reading the module": "jaxviz could not read what JAX lowered",
    "compiling": "XLA could not compile the program",
    "compiling in another process": "XLA could not compile the program",
    "reading the executable": "jaxviz could not read what XLA compiled",
}


def refusal(doing: str, error: Exception, jaxpr: Stage | None = None, platform: str = "") -> str:
    """What failed while `doing`, the first line of the reason, where in the program, and what to
    do. `platform` is the one that it was lowered for, if not that of this process."""
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    lines = elided(said).strip().splitlines()
    reason = name(lines[0]).rstrip(".: ") if lines else "no reason given"
    subject = f"{_SUBJECTS[doing]} for {platform or jax.default_backend()}"
    at = line_refused(reason, jaxpr) if jaxpr is not None and doing == "lowering" else ""
    kind = "" if isinstance(error, NoAnswerError) else f"{type(error).__name__}: "
    return f"{subject} ({kind}{reason}){at}. {_way_on(error, reason)}"


DEEPEST = 64
"""Programs with more levels of bodies are not compiled: XLA ends the whole process at 100 nested
scans (seen on 0.10.2, where Python's recursion limit is high enough for JAX to lower them)."""


TOO_DEEP = (
    "The program is nested {:,} levels deep, and compiling it could end the kernel: write the "
    "nesting as a lax.scan. jaxviz compiles up to {:,} levels."
)
TOO_LONG = (
    "With its calls inlined the program has {:,} operations in a row that XLA fuses, and compiling "
    "it could end the kernel: write their repetition as a lax.scan. jaxviz compiles up to {:,} of "
    "them."
)
TOO_MANY = (
    "With its calls inlined the program has {:,} equations, and compiling it could end the kernel: "
    "write what repeats as a lax.scan. jaxviz compiles up to {:,} of them."
)


def could_end_the_kernel(jaxpr: Stage) -> str | None:
    """Why the program is not compiled here, where that could end the process; else None."""
    for found, most, sentence in (
        (_levels, DEEPEST, TOO_DEEP),
        (longest_run, LONGEST_RUN, TOO_LONG),
        (inlined_eqns, MOST_EQNS, TOO_MANY),
    ):
        count = found(jaxpr)
        if count > most:
            return sentence.format(count, most)
    return None


def would_never_end(stage: Stage) -> str | None:
    """Why the program is not even compiled by another process; None where that may be tried."""
    count = inlined_eqns(stage)
    return TOO_MANY.format(count, MOST_ELSEWHERE) if count > MOST_ELSEWHERE else None


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
    if descriptors.none_left():
        return descriptors.SENTENCE.capitalize()
    if isinstance(error, RecursionError):
        return "It is nested too deep: write the nesting as a lax.scan."
    if isinstance(error, NoRoomError):
        return "The other stages are not concerned."
    if isinstance(error, MemoryError) or lacks_memory(reason.encode()):
        return "It does not fit into memory: capture it with smaller shapes."
    if isinstance(error, NoAnswerError):
        return "Write what repeats as a lax.scan."
    return "The other stages can be looked at as ever."


def without(kind: str, reason: str) -> Stage:
    """A stage that could not be made."""
    return empty(Stage, kind=kind, error=reason)
