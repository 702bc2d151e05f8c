"""Why a stage could not be made, as one sentence."""

from __future__ import annotations

import jax

from jaxviz.capture.stablehlo.elided import elided
from jaxviz.capture.strings import name
from jaxviz.schema import Stage

_SUBJECTS = {
    "lowering": "JAX could not lower the program",
    "reading the module": "jaxviz could not read what JAX lowered",
    "compiling": "XLA could not compile the program",
    "reading the executable": "jaxviz could not read what XLA compiled",
}


def refusal(doing: str, error: Exception) -> str:
    """What was refused while `doing`, the first line of the reason, and how to go on."""
    lines = elided(str(error)).strip().splitlines()
    reason = name(lines[0]).rstrip(".: ") if lines else "no reason given"
    subject = f"{_SUBJECTS[doing]} for {jax.default_backend()}"
    return f"{subject} ({type(error).__name__}: {reason}). {_way_on(error, reason)}"


def _way_on(error: Exception, reason: str) -> str:
    if isinstance(error, RecursionError):
        # With a higher limit it would be lowered, and XLA would end the process (from 200 levels).
        return "It is nested too deep: write the nesting as a lax.scan."
    if isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in reason:
        return "It does not fit into memory: capture it with smaller shapes."
    return "The other stages can be looked at as ever."


def without(kind: str, reason: str) -> Stage:
    """A stage that could not be made."""
    return Stage(
        kind=kind,
        graphs=[],
        avals=[],
        frames=[],
        scopes=[],
        text="",
        notes=[],
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=reason,
    )
