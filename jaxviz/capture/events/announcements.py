"""An announcement of JAX's, before it is known whose function it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from jaxviz.schema import Frame


class Apart(NamedTuple):
    """A trace, lowering or compilation of a function of JAX's own, such as `jnp.sum`."""

    kind: str
    start: float
    seconds: float
    op: str = ""
    """As the user would write it, `jnp.sum`; empty of a trace within another's."""
    site: Frame | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """What has ended, as JAX announced it."""

    kind: str
    name: str
    start: float
    seconds: float
    depth: int
    traces: int
    """How many traces are still open around it, in its thread."""
    thread: str
    cached: bool | None
    bodies: int | None
    """How many bodies were traced while it lasted, in any thread; None where it is not known."""
    earlier: int | None
    """How many were traced between the thread's last event and this one; None where not known."""
