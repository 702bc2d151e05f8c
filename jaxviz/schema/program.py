"""What is captured of one call."""

from __future__ import annotations

from jaxviz.schema.opening import Opening
from jaxviz.schema.record import Record


class Aval(Record, frozen=True):
    """What JAX knows of a value while tracing: everything but the value."""

    text: str
    """As JAX prints it: `f32[8,64]`, `key<fry>[]`, `Ref{f32[8]}`."""
    kind: str
    """`array`, `key`, `ref`, `token`, `tuple` (of optimized HLO) or `other`."""
    shape: list[int | str] | None
    """Dimensions, symbolic ones by name; None where the kind has no shape."""
    dtype: str
    """`float32`, `key<fry>`; empty where the kind has none."""
    weak_type: bool
    sharding: str | None
    """The partition spec (`P('data', None)`), where the type carries one; in later stages as
    they write it (`{devices=[2,1]<=[2]}`)."""
    memory: str | None
    """The memory space, where it is not the device's default."""
    layout: str | None
    """Of optimized HLO: dimensions from the one that changes fastest, and tiles: `{1,0}`."""
    bytes: int | None
    """Bytes of the whole value, None where the size is not a number."""


class Leaf(Record, frozen=True):
    """One input or output of the whole program, by the user's own path."""

    path: str
    """`params['w1']`, `x`, `result[0]`."""
    aval: Aval


class Fixed(Record, frozen=True):
    """One argument, or part of one, that is no input of the program: it is fixed in it."""

    path: str
    """`mode`, `axis`, `params['note']`."""
    text: str
    """A plain small value as it is (`'train'`, `(0, 1)`, `relu`); of others the type."""
    kind: str
    """`static` (a static argument of `jax.jit`) or `closed over` (it holds no array)."""


class Var(Record, frozen=True):
    """A variable or a literal of a graph."""

    name: str
    """As the stage's text prints it (`a`, `2.0:f32[]`); `_` where the result is dropped."""
    aval: int
    literal: bool


class Param(Record, frozen=True):
    """One parameter of an eqn, readable. `Eqn.roles` has what some say of its operands."""

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


class Cost(Record, frozen=True):
    """What something does: how much arithmetic, and how much memory it reads and writes."""

    flops: int | None
    """Floating-point operations, integer ones apart; None where it is not known."""
    bytes: int | None
    """Bytes of operands read and results written; None where it is not known."""
    least: bool
    """It is at least that much: something in it is not known, such as how often a loop runs."""


class Eqn(Record, frozen=True):
    """One equation of a jaxpr (an operation or instruction in later stages)."""

    op: str
    """The primitive's name: `add`, `dot_general`, `jit`."""
    name: str
    """What the eqn calls, where it has a name (`relu` of a `jit`); else empty."""
    invars: list[int]
    outvars: list[int]
    roles: list[str]
    """For each of `invars` its part in the bodies, if any has one: of a loop `carry` (the last ones
    come first among the results), `xs` (sliced), `const`; of a choice `index` or `pred`."""
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
    origin: list[int]
    """In later stages: the eqn of the jaxpr that this one was made for, the last, after those
    around it, outermost first. Eqns are numbered through all graphs of the jaxpr in their order.
    Empty where it is not known, and in the jaxpr."""
    guess: bool
    """`origin` was not written by JAX or XLA: it is that of the eqns around this one."""
    trips: int | None
    """How often one run of the eqn runs its bodies, where it is a loop and that is known."""
    cost: Cost | None
    """Of one run of the eqn: its bodies, as often as it runs them, included."""


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


class Memory(Record, frozen=True):
    """Bytes on one device, as XLA reports them; None for what it does not report."""

    arguments: int | None
    outputs: int | None
    temporaries: int | None
    aliased: int | None
    """Of the outputs, what lies in donated arguments."""
    code: int | None
    peak: int | None


class Stage(Record, frozen=True):
    """One form of the program."""

    kind: str
    """`jaxpr`, `stablehlo` or `hlo` (what XLA made of it: optimized, for one device)."""
    graphs: list[Graph]
    """The first one is the program; the others are bodies."""
    avals: list[Aval]
    frames: list[Frame]
    scopes: list[str]
    text: str
    notes: list[str]
    """What could not be had from this version of JAX, or is not as it seems, a sentence each."""
    cost: Cost | None
    """Of one run of the program."""
    reported: Cost | None
    """The same as XLA reports it, which counts the body of a loop once."""
    memory: Memory | None
    """Of one run of the program; of optimized HLO alone."""
    took: int | None
    """Milliseconds that JAX and XLA took to make it; None of the jaxpr."""
    error: str | None
    """Why there is no stage, as one sentence; then all lists are empty."""


class Listing(Record, frozen=True):
    """The user's own code that a program was made from: a cell, or part of a file."""

    file: str
    cell: str | None
    """As `Frame.file` and `Frame.cell` have them."""
    count: int | None
    start: int
    """The number of the first line, from 1."""
    text: str


class Change(Record, frozen=True):
    """One difference between two calls of the same function."""

    kind: str
    """`shape`, `dtype`, `weak type`, `static` (a static argument's value), `style` (by position
    or by keyword), `pytree`, `none` (None or array), `config`, `sharding`, `device`, `committed`,
    `mesh`, `options` (of jit), `function` (a new function object of the same code), `cleared`
    (JAX's caches), `first` (no earlier one was seen) or `unknown`."""
    where: str
    """The user's path of the argument (`params['w']`), or the flag's name; else empty."""
    before: str
    after: str


class Mark(Record, frozen=True):
    """How an eqn of one program differs from that of another which it was matched with."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`added`, `removed`, `changed` (its params, or what it reads) or `retyped` (the types of its
    results alone, and params that follow from types: the `shape` of a broadcast)."""
    before: str
    after: str
    """What differs, as text: `axes=(0,)`, `f32[8,32]`. Both are empty of an eqn that was added or
    removed."""


class Compared(Record, frozen=True):
    """That a program was made from two: its one stage holds the eqns of both, those that match
    once, as the later one has them; where types or params differ, with both (`f32[8→5,32]`)."""

    before: str
    """What the earlier one is called."""
    after: str
    inputs: list[Change]
    """How the inputs and results differ."""
    marks: list[Mark]
    """Of the eqns that differ, in their order. The programs are the same where there are none
    and no inputs differ."""


class Program(Record, frozen=True):
    """All that is known of one captured call."""

    version: int
    jax: str
    """The version of JAX that made it."""
    name: str
    args: list[Leaf]
    fixed: list[Fixed]
    """What was passed beside them, in the order of the arguments."""
    results: list[Leaf]
    listings: list[Listing]
    stages: list[Stage]
    """The jaxpr first, and of the later ones those that were made, in their order."""
    compared: Compared | None
    """Where it was made from two programs: what differs."""


class Display(Record, frozen=True):
    """What a notebook's output holds (MIME type `application/vnd.jaxviz.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty where that is not known."""
    program: str
    """A `Program` as `jaxviz/display/wire` encodes it, in base64."""
    partial: str | None
    """What was left out of a program too large to save, as one sentence."""
    opening: Opening
    key: str
    """Under what the kernel knows the program, to ask it for later stages."""
