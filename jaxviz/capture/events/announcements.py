"""What JAX announces, before and after it is known to be about a function of JAX's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from jaxviz.schema import Frame


class JaxEvent(NamedTuple):
    """A trace, lowering or compilation of a function of JAX's own, such as `jnp.sum`."""

    kind: str
    start: float
    seconds: float
    op: str = ""
    """As the user would write it, `jnp.sum`; empty for a trace within another trace."""
    site: Frame | None = None
    """The user's line that called it."""


@dataclass(frozen=True, slots=True)
class Span:
    """A trace, lowering or compilation that has ended, as JAX announced it."""

    kind: str
    """`trace`, `lower` or `compile`."""
    name: str
    """JAX's label of it, such as `f` or `jit(f)`."""
    start: float
    """Seconds since 1970."""
    seconds: float
    depth: int
    """How many events had begun in its thread and not ended yet, without this one."""
    traces: int
    """How many of these are traces."""
    thread: str
    cached: bool | None
    """Whether a compilation was found in the persistent cache; None if that was not asked."""
    bodies: int | None
    """How many functions JAX traced while it lasted, in any thread; None if not known."""
    earlier: int | None
    """How many functions JAX traced between the thread's last event and the beginning of this one;
    None if not known."""
