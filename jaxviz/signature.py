"""What JAX's caches saw of a call, as strings and numbers: no array, tracer or function is held."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxviz.schema import Frame


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array, scalar or None among the arguments."""

    text: str
    """As JAX prints its aval, without the mark of a weak type: `f32[8,32]`; `None`."""
    shape: str
    dtype: str
    weak: bool
    spec: str
    """The partition spec and mesh that its type carries, where it does."""
    python: str = field(compare=False)
    """The type of the value: `float`, `ndarray`, `Array`; `Tracer` of a traced one."""


class Field(NamedTuple):
    """A field of a static argument, at any depth."""

    path: str
    """`.lr`, `['lr']`, `[0].name`"""
    text: str
    digest: int
    """Equal where the values are, as far as that is known: the text may be of the type alone."""


@dataclass(frozen=True, slots=True)
class Static:
    """A static argument: JAX compares it by hash and equality."""

    type: str
    text: str
    """What may be shown of it."""
    hash: int
    fields: tuple[Field, ...] = ()
    """Empty of a plain value."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What decides whether a function is traced again."""

    leaves: dict[str, Leaf]
    """By the user's own path: `params['w']`."""
    trees: dict[str, str]
    """The pytree of each argument."""
    statics: dict[str, Static]
    style: dict[str, str]
    """Of each argument, whether it was passed by `position` or by `keyword`."""
    config: dict[str, str]
    mesh: str

    def digest(self) -> Hashable:
        """Equal for equal signatures."""
        parts = (self.leaves, self.trees, self.statics, self.style, self.config)
        return hash((self.mesh, *(tuple(sorted(part.items(), key=_name)) for part in parts)))


def _name(item: tuple[str, object]) -> str:
    return item[0]


class Placement(NamedTuple):
    """Where an argument lies."""

    devices: str
    sharding: str
    committed: bool


class Function(NamedTuple):
    """What makes two function objects the same function: where it is written."""

    name: str
    """With the transformations around it: `grad(loss)`."""
    file: str
    line: int
    code: str = ""
    """What tells functions apart that are written at one place: a digest of their code and of
    what is wrapped around it, and where the functions are written that it closes over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One trace, lowering or compilation, as it was seen."""

    kind: str
    function: Function
    definition: Frame | None
    identity: int | None
    """The function object's number; None where it is not known."""
    signature: Signature | None
    placements: dict[str, Placement] | None
    """Of a lowering or compilation, where each argument lies."""
    options: dict[str, str] | None
    """Of a lowering or compilation, what was asked of jit: donation, shardings."""
    program: int | None
    """The number of the jaxpr that was made, lowered or compiled."""
    role: str
    """The rule by which grad, vmap or the like made the jaxpr of the function's; else empty."""
    cleared: int
    """How often JAX's caches had been cleared."""
    site: Frame | None
    start: float
    seconds: float
    depth: int
    thread: str
    eqns: int | None
    cached: bool | None
    error: str | None
    implied: bool
    """Not announced by JAX: found in the jaxpr of the function that called it."""
    looked: bool = False
    """Traced when jaxviz captured a call, before the user's own call that this is told of."""
    looped: bool = False
    """A line of the user's that led to it stands in a loop."""
    effects: bool = False
    """Of a trace: the program has effects, such as printing or callbacks."""
    failed: Frame | None = None
    """The user's innermost line where the exception was raised."""
