"""What is counted of each function."""

from __future__ import annotations

from dataclasses import dataclass

from jaxviz.schema import Change, Frame


@dataclass(frozen=True, slots=True)
class Function:
    """What a log has counted of one function."""

    name: str
    definition: Frame | None
    traces: int = 0
    retraces: int = 0
    lowerings: int = 0
    relowerings: int = 0
    """Without a new trace."""
    compiles: int = 0
    recompiles: int = 0
    """Without a new trace."""
    seconds: float = 0.0
    """Of all these; a trace within another counts in both."""
    reason: tuple[Change, ...] = ()
    """Why it was last traced, lowered or compiled again."""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """What was counted apart: traces, lowerings and compilations of JAX's own functions."""

    traces: int = 0
    lowerings: int = 0
    compiles: int = 0
    seconds: float = 0.0
