"""The records that jaxviz shows, sends and saves: born here, read everywhere.

`scripts/schema.py` writes `js/src/schema.ts` from these classes, and `make check` fails when
the two differ. Names are JAX's own. Every index is into a list of the same record: an eqn's
operands index its graph's `vars`; avals, frames and scopes are interned once per stage.

No field has a default and unknown fields are refused, so that a record means one thing.
"""

from __future__ import annotations

import msgspec

VERSION = 1
MIME = "application/vnd.jaxviz.v1+json"


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An immutable record: equal when its fields are equal."""


class Aval(Record, frozen=True):
    """What JAX knows of a value while tracing: everything but the value."""

    text: str
    """As JAX prints it: `f32[8,64]`, `key<fry>[]`, `Ref{f32[8]}`."""
    kind: str
    """`array`, `key`, `ref`, `token` or `other`."""
    shape: list[int | str] | None
    """Dimensions, symbolic ones by name; None where the kind has no shape."""
    dtype: str
    """`float32`, `key<fry>`; empty where the kind has none."""
    weak_type: bool
    sharding: str | None
    """The partition spec (`P('data', None)`), where the type carries one."""
    memory: str | None
    """The memory space, where it is not the device's default."""
    bytes: int | None
    """Bytes of the whole value, None where the size is not a number."""


class Leaf(Record, frozen=True):
    """One input or output of the whole program, by the user's own path."""

    path: str
    """`params['w1']`, `x`, `result[0]`."""
    aval: Aval


class Var(Record, frozen=True):
    """A variable or a literal of a graph."""

    name: str
    """As the stage's text prints it (`a`, `2.0:f32[]`); `_` where the result is dropped."""
    aval: int
    literal: bool


class Param(Record, frozen=True):
    """One parameter of an eqn, readable."""

    name: str
    value: str
    """At most 400 characters; array values never, only their type."""
    size: int
    """Characters of the whole value, more than `len(value)` where it was cut."""


class Body(Record, frozen=True):
    """A graph that an eqn holds."""

    label: str
    """What it is to the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`…"""
    graph: int
    inputs: list[int]
    """For each input of the graph the eqn's operand that feeds it (index into the eqn's
    `invars`), or -1: a loop index, a pallas ref, or not known."""
    outputs: list[int]
    """For each output of the graph the eqn's result that it becomes (index into `outvars`),
    or -1."""


class Eqn(Record, frozen=True):
    """One equation of a jaxpr (an operation or instruction in later stages)."""

    op: str
    """The primitive's name: `add`, `dot_general`, `jit`."""
    name: str
    """What the eqn calls, where it has a name (`relu` of a `jit`); else empty."""
    invars: list[int]
    outvars: list[int]
    params: list[Param]
    bodies: list[Body]
    effects: list[str]
    frame: int | None
    """The user's innermost frame."""
    call: int | None
    """The innermost frame with those of libraries: `frame`, or a frame that it leads to."""
    inherited: bool
    """JAX gave no frame of the user's: `frame` is that of the first enclosing eqn."""
    scope: int
    """Index into `scopes`: the name stack."""
    span: list[int] | None
    """`[start, stop)` characters of the stage's text, nested bodies included."""


class Group(Record, frozen=True):
    """A contiguous run of a graph's eqns that belong together. Runs nest and never cross."""

    name: str
    kind: str
    """`scope` (named by the user or JAX), `call` (a function on the user's call stack),
    `repeat` (a run of siblings that are alike) or `section` (cut where the fewest values
    cross)."""
    role: str
    """Its part in a training step: `forward`, `backward`, `optimizer`, `recompute` (values that
    the backward pass computes again) or empty. A group has the role of what it is in, unless it
    has one of its own: a role's outermost groups are those whose parent has another."""
    parent: int | None
    """Index into the graph's `groups`, always smaller than this group's own."""
    twin: int | None
    """Index into the graph's `groups` of the forward group that this one is the derivative of,
    computes again, or updates the parameters of."""
    alike: int
    """Groups of one graph with the same number repeat one another eqn for eqn: the same
    primitives, params (but for where a slice begins), avals and wiring. -1 where no other does."""
    start: int
    stop: int
    """Eqns `[start, stop)` of the graph."""


class Graph(Record, frozen=True):
    """A jaxpr (a function, region or computation in later stages). Stored once if shared."""

    name: str
    vars: list[Var]
    constvars: list[int]
    invars: list[int]
    outvars: list[int]
    args: list[str]
    """For each of `invars` the user's path, or empty."""
    results: list[str]
    """For each of `outvars` the user's path, or empty."""
    eqns: list[Eqn]
    groups: list[Group]
    effects: list[str]


class Frame(Record, frozen=True):
    """One call on the user's stack. Interned as a tree, callers first."""

    function: str
    file: str
    """Relative to the working directory where it lies below it, else the last two parts."""
    line: int
    """From 1; in a notebook's cell, the line of the cell."""
    column: int
    """From 1; 0 where it is not known."""
    code: str
    """The text of that line, stripped; empty where it cannot be read."""
    cell: str | None
    """The notebook cell's id."""
    count: int | None
    """The cell's execution count."""
    library: bool
    """In an installed package, not the user's own file. JAX's own frames are left out."""
    parent: int | None


class Stage(Record, frozen=True):
    """One form of the program."""

    kind: str
    """`jaxpr`."""
    graphs: list[Graph]
    """The first one is the program; the others are bodies."""
    avals: list[Aval]
    frames: list[Frame]
    scopes: list[str]
    text: str
    notes: list[str]
    """What could not be had from this version of JAX, a sentence each."""
    error: str | None
    """Why there is no stage, as one sentence; then all lists are empty."""


class Program(Record, frozen=True):
    """All that is known of one captured call."""

    version: int
    jax: str
    """The version of JAX that made it."""
    name: str
    args: list[Leaf]
    results: list[Leaf]
    stages: list[Stage]


class Display(Record, frozen=True):
    """What a notebook's output holds (MIME type `application/vnd.jaxviz.v1+json`)."""

    version: int
    program: str
    """A `Program` as `jaxviz/display/wire` encodes it, in base64."""
    partial: str | None
    """What was left out of a program too large to save, as one sentence."""
