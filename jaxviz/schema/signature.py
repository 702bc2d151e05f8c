"""Records of traces, and of the properties of calls that JAX's caches compare.

They explain why a function was traced again. They contain only strings and numbers, so they keep no
array, tracer or function alive (`Trace.objects` is dropped before a trace is reported).
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
    """The partition spec and mesh, if its type has them; else empty."""
    python: str = field(compare=False)
    """The Python type of the value: `float`, `ndarray`, `Array`, or `TRACER`."""


class Field(NamedTuple):
    """A field of a static argument, at any depth."""

    path: str
    """`.lr`, `['lr']`, `[0].name`"""
    text: str
    digest: int
    """Differs between values that differ, if that is known. It is necessary because `text` may be
    only the value's type."""


class Place(NamedTuple):
    """A line of the user's code."""

    file: str
    """The file's name in Python's `linecache`."""
    line: int
    shown: str
    """The user's name of the file: `cell 3`, `train.py`."""
    offset: int
    """The number of lines in the user's file before the first line of `file`."""
    span: tuple[int, int, int, int] | None = None
    """First and last line, first and last column of the expression, as `ast` counts them."""


class Class(NamedTuple):
    """A class that the user wrote."""

    name: str
    key: str
    """Its module and name. A class with the same key is this class, or this class defined again."""
    number: int
    """Different for each class object."""
    place: Place | None
    """Its source line; None if that is not found."""


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
    """The package that its type is written in: `optax`. Empty for the user's own types."""
    is_field: bool = False
    """True if it is a field of a pytree node that cannot be an array."""
    classes: tuple[Class, ...] = ()
    """The user's classes that it is made of."""


TRACER = "Tracer"
"""The Python type of a traced leaf, whose value is not known."""
LEAF = "*"
"""An argument's pytree that is a single leaf."""


class Signature(Struct, frozen=True):
    """The key that JAX compares to decide whether it must trace a function again."""

    leaves: dict[str, Leaf]
    """The leaves of all arguments, each under the user's own path: `params['w']`."""
    trees: dict[str, Words]
    """Nodes of the arguments' pytrees, by path: `tuple of 2`, `dict`, `State`. An argument without
    nodes is `LEAF`."""
    statics: dict[str, Static]
    style: dict[str, str]
    """For each argument, whether it was passed by `position` or by `keyword`."""
    config: dict[str, str]
    mesh: str
    classes: dict[str, Class] = {}
    """The user's classes among the arguments, by `Class.key`."""
    defaults: dict[str, Static] = {}
    """The defaults of arguments that were left out, or passed with this value."""
    options: dict[str, str] = {}
    """The options of the jit on which its traces depend: `static_argnames`, if there are any. They
    are not known for calls inside a trace."""

    def static_of(self, path: str) -> Static | None:
        """The static value at a path: the passed one, or the default of an argument that was left
        out."""
        return self.statics.get(path) or (None if path in self.style else self.defaults.get(path))

    def digest(self) -> Hashable:
        """Equal for equal signatures. `options` do not count."""
        parts = (self.leaves, self.trees, self.statics, self.style, self.config, self.classes)
        return hash((self.mesh, *(frozenset(part.items()) for part in parts)))


class Placement(NamedTuple):
    """The devices and the sharding of an argument."""

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
    """Differs between functions at the same place. It is a digest of their code and wrappers, and
    of the places of the functions that they close over."""
    library: str = ""
    """Empty for a function of the user. For one of a library: `called` if the user's line calls
    the jitted function itself, `inner` if the library calls it: see
    `analysis/retraces/owners.py`."""


class OpProgram(NamedTuple):
    """The key of an op that JAX compiled. Parts that are not counted are replaced by hashes."""

    label: str
    """JAX's label of the program: an op may be several programs."""
    shapes: tuple[str, ...]
    """Shapes of the arguments, and of the results if all arguments are scalars."""
    dtypes: tuple[str, ...]
    weak: tuple[bool, ...]
    statics: int
    placed: int


class Op(NamedTuple):
    """A function of JAX that ran op by op."""

    name: str = ""
    """The name that the user would write, `jnp.sum`; empty for a trace inside another one."""
    program: OpProgram | None = None
    """For a compilation; None if it cannot be read."""


class Trace(Struct, frozen=True, kw_only=True):
    """A trace, or a later use of its program: a lowering, a compilation, or a call that JAX's
    caches answered. A field that is not known, or that this kind does not have, has its default.
    Times are in seconds; `start` since 1970."""

    kind: str
    """`trace`, `lower`, `compile` or `call`."""
    start: float
    seconds: float = 0.0
    depth: int = 0
    """The number of other events of its thread that had begun and not ended."""
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
    """The user's line that caused it."""
    functions: dict[str, Place] = {}
    """The places of the user's functions that the code at this line may call, by name."""
    looped: bool = False
    """One of the user's lines that caused it is in a loop."""
    is_kept: bool = False
    """The previously traced function object of the same code still exists: there are several on
    purpose."""

    # How jaxviz found it, if JAX did not announce it.
    implied: bool = False
    """It was found in the jaxpr of the function that called it."""
    unordered: int | None = None
    """A number that is equal for traces found together, if JAX does not report their order."""
    looked: bool = False
    """It was traced earlier, when jaxviz captured a call. This record is about the user's call,
    which found the program in JAX's cache."""

    # Of a lowering or compilation.
    placements: dict[str, Placement] | None = None
    """The placement of each argument."""
    options: dict[str, str] | None = None
    """Options of `jax.jit`: donation, shardings."""
    role: str = ""
    """The rule that made the jaxpr, if grad, vmap or the like derived it from the function's."""
    cached: bool | None = None
    """True if the persistent cache had the compilation; None if it was not used."""
    saved: float | None = None
    """The seconds that this saved, as JAX reports them."""

    # Of a call.
    narrowed: Words = ""
    """The dtype that JAX narrowed an argument to: `x: float64 taken as float32`."""

    op: Op | None = None
    """None unless the function is JAX's own."""
    objects: Any = None
    """`capture.events.programs.Objects`, until the trace is reported."""
