"""Records of what JAX's caches compare between calls, as the kernel sees it while JAX traces.

They explain why a function was traced again. All of it is strings and numbers: no array, tracer or
function is kept alive (`Trace.objects` is dropped before a trace is reported).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct

from jaxviz.schema import Frame, Words


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array, scalar or None among the arguments."""

    text: str
    """Its type as JAX prints it, without the mark of a weak type: `f32[8,32]`, or `None`."""
    shape: str
    dtype: str
    weak: bool
    spec: str
    """The partition spec and mesh, where its type carries them; else empty."""
    python: str = field(compare=False)
    """The Python type of the value: `float`, `ndarray`, `Array`, or `TRACER`."""


class Field(NamedTuple):
    """A field of a static argument, at any depth."""

    path: str
    """`.lr`, `['lr']`, `[0].name`"""
    text: str
    digest: int
    """Differs where the values do, as far as that is known. Needed since `text` may name only the
    value's type."""


class Place(NamedTuple):
    """A line of the reader's code."""

    file: str
    """The file's name in Python's `linecache`."""
    line: int
    shown: str
    """The file as the reader knows it: `cell 3`, `train.py`."""
    offset: int
    """The number of lines in the reader's file before the first line of `file`."""
    span: tuple[int, int, int, int] | None = None
    """First and last line, first and last column of the expression, as `ast` counts them."""


class Class(NamedTuple):
    """A class that the reader wrote."""

    name: str
    key: str
    """Its module and name. A class with the same key is this class, or this class defined again."""
    number: int
    """Different for each class object."""
    place: Place | None
    """Where it is written; None if that is not found."""


@dataclass(frozen=True, slots=True)
class Static:
    """A static argument, which JAX compares by hash and equality."""

    type: str
    text: str
    """The text that may be shown."""
    hash: int
    fields: tuple[Field, ...] = ()
    """Its fields, at any depth; empty for a plain value."""
    package: str = ""
    """The package that its type is written in: `optax`. Empty for the reader's own types."""
    is_field: bool = False
    """True if it is a field of a pytree's node that cannot be an array."""
    classes: tuple[Class, ...] = ()
    """The reader's classes that it is made of."""


TRACER = "Tracer"
"""In place of the Python type of a leaf that is traced: its value is not known."""
LEAF = "*"
"""An argument's pytree that is a single leaf."""


class Signature(Struct, frozen=True):
    """The key that JAX compares to decide whether it must trace a function again."""

    leaves: dict[str, Leaf]
    """The leaves of all arguments, each under the user's own path: `params['w']`."""
    trees: dict[str, Words]
    """Nodes of the arguments' pytrees, by path: `tuple of 2`, `dict`, `State`. An argument that is
    a leaf is `LEAF`."""
    statics: dict[str, Static]
    style: dict[str, str]
    """For each argument, whether it was passed by `position` or by `keyword`."""
    config: dict[str, str]
    mesh: str
    classes: dict[str, Class] = {}
    """The reader's classes among the arguments, by `Class.key`."""
    defaults: dict[str, Static] = {}
    """The defaults of arguments that were left out, or passed with that very value."""
    options: dict[str, str] = {}
    """The options of the jit that its traces depend on: `static_argnames`, if there are any. They
    are not known of calls within a trace."""

    def static_of(self, path: str) -> Static | None:
        """The static value at a path: one that was passed, or the default of an argument that was
        left out."""
        return self.statics.get(path) or (None if path in self.style else self.defaults.get(path))

    def digest(self) -> Hashable:
        """Equal for equal signatures. `options` do not count."""
        parts = (self.leaves, self.trees, self.statics, self.style, self.config, self.classes)
        return hash((self.mesh, *(frozenset(part.items()) for part in parts)))


class Placement(NamedTuple):
    """On which devices an argument lies, and how."""

    devices: str
    sharding: str
    committed: bool


class Function(NamedTuple):
    """Identifies a function, even if it is defined again: mainly by its place in the source."""

    name: str
    """With the transformations around it: `grad(loss)`."""
    file: str
    line: int
    code: str = ""
    """Tells functions apart that are written at the same place: a digest of their code and of what
    is wrapped around it, and the places of the functions that it closes over."""
    library: str = ""
    """Empty if the trace is the reader's. If it is a library's: `called` if a line of the reader's
    calls the jitted function itself, `inner` if the library does: see
    `analysis/retraces/owners.py`."""


class OpProgram(NamedTuple):
    """The key of an op that JAX compiled. Hashes replace parts that are not counted alone."""

    label: str
    """JAX's label of the program: an op may be several programs."""
    shapes: tuple[str, ...]
    """Shapes of the arguments, and of the results if all arguments are scalars."""
    dtypes: tuple[str, ...]
    weak: tuple[bool, ...]
    statics: int
    placed: int


class Op(NamedTuple):
    """A function of JAX's own that ran op by op."""

    name: str = ""
    """The name that the user would write, `jnp.sum`; empty for a trace within another trace."""
    program: OpProgram | None = None
    """For a compilation; None if it cannot be read."""


class Trace(Struct, frozen=True, kw_only=True):
    """A trace, or a later use of its program: a lowering, a compilation, or a call that JAX's
    caches answered. A part that is not known, or that this kind does not have, has its default.
    Times are in seconds; `start` since 1970."""

    kind: str
    """`trace`, `lower`, `compile` or `call`."""
    start: float
    seconds: float = 0.0
    depth: int = 0
    """The number of other events that had begun in its thread and not ended yet."""
    thread: str = ""
    function: Function = Function("", "", 0)
    definition: Frame | None = None
    identity: int | None = None
    """The function object's number."""
    signature: Signature | None = None
    program: int | None = None
    """The number of the jaxpr that was made, lowered or compiled."""
    cleared: int = 0
    """The number of times that JAX's caches had been cleared before."""
    eqns: int | None = None
    effects: bool = False
    """The traced program has effects, such as printing or callbacks."""
    error: str | None = None
    failed: Frame | None = None
    """The user's innermost line where the exception was raised."""

    # Where it came from.
    site: Frame | None = None
    called: Place | None = None
    """The user's line that led to it."""
    functions: dict[str, Place] = {}
    """Where the reader's functions are written that the code at this line may call, by name."""
    looped: bool = False
    """One of the user's lines that led to it stands in a loop."""
    is_kept: bool = False
    """The function object of the same code that was traced before this one still lives: there are
    several on purpose."""

    # How it became known, if JAX did not announce it.
    implied: bool = False
    """It was found in the jaxpr of the function that called it."""
    unordered: int | None = None
    """Which traces it was found together with, by a number, if JAX does not tell in what order
    these came."""
    looked: bool = False
    """It was traced earlier, when jaxviz captured a call. The user's own call, which this record
    reports, found the program in JAX's cache."""

    # Of a lowering or compilation.
    placements: dict[str, Placement] | None = None
    """Where each argument lies."""
    options: dict[str, str] | None = None
    """Options of `jax.jit`: donation, shardings."""
    role: str = ""
    """Which rule made the jaxpr, if grad, vmap or the like derived it from the function's."""
    cached: bool | None = None
    """True if the persistent cache had the compilation; None if it was not asked."""
    saved: float | None = None
    """The seconds that this saved, as JAX says."""

    # Of a call.
    narrowed: Words = ""
    """The dtype that JAX narrowed an argument to: `x: float64 taken as float32`."""

    op: Op | None = None
    """None unless the function is JAX's own."""
    objects: Any = None
    """`capture.events.programs.Objects`, until the trace is reported."""
