"""The records of a program: what jaxviz captured of one call."""

from __future__ import annotations

from jaxviz.schema.opening import Opening
from jaxviz.schema.record import Record


class Aval(Record, frozen=True):
    """An abstract value: all that JAX knows of a value while tracing, such as shape and dtype."""

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
    """In optimized HLO: the dimensions, the one that changes fastest first, and tiles: `{1,0}`."""
    bytes: int | None
    """Bytes of the whole value; None where the size is not a number."""


class Leaf(Record, frozen=True):
    """One input or output of the whole program, named by the user's own path."""

    path: str
    """`params['w1']`, `x`, `result[0]`."""
    aval: Aval


class Fixed(Record, frozen=True):
    """One argument, or part of one, that is not an input of the program: its value is fixed in
    it."""

    path: str
    """`mode`, `axis`, `params['note']`."""
    text: str
    """A plain small value as it is (`'train'`, `(0, 1)`, `relu`); of others the type."""
    kind: str
    """`static` (a static argument of `jax.jit`) or `closed over` (any other that holds no
    array)."""


class Var(Record, frozen=True):
    """A variable or a literal of a graph."""

    name: str
    """As the stage's text prints it (`a`, `2.0:f32[]`); `_` where the result is dropped."""
    aval: int
    literal: bool


class Param(Record, frozen=True):
    """One parameter of an eqn, as readable text. Parameters that only say what the operands are to
    the eqn are left out: `Eqn.roles` has that."""

    name: str
    value: str
    """At most 400 characters. Arrays are never written out, only their type."""
    size: int
    """How many characters the whole value has: more than `value` where it was cut."""


class Body(Record, frozen=True):
    """A graph that an eqn holds, such as the body of a loop."""

    label: str
    """What it is to the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`…"""
    graph: int
    inputs: list[int]
    """For each input of the graph, which of the eqn's operands feeds it (index into the eqn's
    `invars`); -1 for a loop index, for a pallas ref, and where it is not known."""
    outputs: list[int]
    """For each output of the graph, which of the eqn's results it becomes (index into `outvars`);
    -1 where there is none or it is not known."""


class Cost(Record, frozen=True):
    """How much arithmetic something does, and how much memory it reads and writes."""

    flops: int | None
    """Floating-point operations, without those on integers; None where not known."""
    bytes: int | None
    """Bytes of operands read and of results written; None where not known."""
    least: bool
    """Whether both are lower bounds, since a part is not known, such as how often a loop runs."""


class Eqn(Record, frozen=True):
    """One equation of a jaxpr (an operation or instruction in later stages)."""

    op: str
    """The primitive's name: `add`, `dot_general`, `jit`."""
    name: str
    """The name of what the eqn calls, such as `relu` for a `jit` of it; else empty."""
    invars: list[int]
    outvars: list[int]
    roles: list[str]
    """For each of `invars`, what it is to the bodies; empty where none is anything to them. In a
    loop that is `const`, `xs` (sliced) or `carry` (passed from trip to trip; the last values come
    first among the results). In a choice it is `index` or `pred`."""
    params: list[Param]
    bodies: list[Body]
    effects: list[str]
    frame: int | None
    """The user's innermost frame."""
    call: int | None
    """The innermost frame, of a library's too: `frame`, or a frame that it leads to."""
    inherited: bool
    """Whether JAX gave no frame of the user's, so that `frame` is that of an enclosing eqn."""
    scope: int
    """Index into `scopes`: the name stack."""
    span: list[int] | None
    """Which characters of the stage's text it takes, `[start, stop)`, nested bodies included."""
    origin: list[int]
    """In later stages: the eqn of the jaxpr that this one was made for, as the last number; before
    it the eqns that hold that one, outermost first. Eqns are numbered through all graphs of the
    jaxpr in their order. Empty in the jaxpr, and where it is not known."""
    guess: bool
    """Whether `origin` was guessed from the eqns around this one: neither JAX nor XLA wrote it."""
    trips: int | None
    """How often one run of a loop runs its bodies; None for other eqns and where not known."""
    cost: Cost | None
    """The cost of one run of the eqn, with its bodies as often as it runs them."""


class Group(Record, frozen=True):
    """Consecutive eqns of a graph that belong together. Groups may lie within others, but never
    overlap in part."""

    name: str
    kind: str
    """`scope` (named by the user or JAX), `call` (a function on the user's call stack),
    `repeat` (holds neighbouring groups that are alike) or `section` (part of a long run, cut where
    the fewest values cross)."""
    role: str
    """Its part in a training step: `forward`, `backward`, `optimizer`, `recompute` (values that
    the backward pass computes again) or empty. A group without a role of its own has that of its
    parent."""
    parent: int | None
    """Index into the graph's `groups`, always smaller than this group's own."""
    twin: int | None
    """Index into the graph's `groups` of the forward group that belongs to this one: whose
    derivative it is, whose values it computes again, or whose parameters it updates."""
    alike: int
    """Groups of one graph with the same number repeat one another eqn for eqn: the same
    primitives, params (except where slices begin), avals and wiring. -1 for a group that no other
    repeats."""
    start: int
    stop: int
    """Eqns `[start, stop)` of the graph."""


class Graph(Record, frozen=True):
    """A jaxpr (in later stages a function, region or computation). One that several eqns hold is
    stored once."""

    name: str
    vars: list[Var]
    constvars: list[int]
    invars: list[int]
    outvars: list[int]
    args: list[str]
    """The user's path for each of `invars`, or an empty string."""
    results: list[str]
    """The user's path for each of `outvars`, or an empty string."""
    eqns: list[Eqn]
    groups: list[Group]
    effects: list[str]


class Frame(Record, frozen=True):
    """One call on the user's stack. Each is stored once per stage, after its caller (`parent`)."""

    function: str
    file: str
    """The file's path, relative to the working directory where it is below that; else its last two
    parts."""
    line: int
    """From 1, in the file or in the notebook's cell."""
    column: int
    """From 1; 0 where not known."""
    code: str
    """The text of that line, stripped; empty where it could not be read."""
    cell: str | None
    """The notebook cell's id."""
    count: int | None
    """The cell's execution count."""
    library: bool
    """Whether it is in an installed package, not in a file of the user's. JAX's own frames are left
    out."""
    parent: int | None


class Memory(Record, frozen=True):
    """Bytes on one device, as XLA reports them; None for what it does not report."""

    arguments: int | None
    outputs: int | None
    temporaries: int | None
    aliased: int | None
    """The part of the outputs that lies in donated arguments."""
    code: int | None
    peak: int | None


class Stage(Record, frozen=True):
    """One form of the program."""

    kind: str
    """`jaxpr`, `stablehlo` or `hlo` (what XLA made of it: optimized, for one device)."""
    graphs: list[Graph]
    """The first one is the whole program; the others are bodies."""
    avals: list[Aval]
    frames: list[Frame]
    scopes: list[str]
    text: str
    notes: list[str]
    """What this version of JAX did not give, or what is not as it seems; a sentence each."""
    cost: Cost | None
    """The cost of one run of the program."""
    reported: Cost | None
    """The same as XLA reports it, which counts the body of a loop once."""
    memory: Memory | None
    """What one run of the program needs; only in optimized HLO."""
    took: int | None
    """Milliseconds that JAX and XLA took to make it; None for the jaxpr."""
    error: str | None
    """Why the stage could not be made, as one sentence; then all lists are empty."""


class Listing(Record, frozen=True):
    """The user's own code that a program was made from: a cell, or part of a file."""

    file: str
    cell: str | None
    """`file` and `cell` are as in `Frame`."""
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
    """The user's path to the argument (`params['w']`), or the name of the flag; else empty."""
    before: str
    after: str


class Mark(Record, frozen=True):
    """How an eqn differs between the two programs of a comparison."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`added`, `removed`, `changed` (its params or operands differ) or `retyped` (only the types
    of its results differ, and params that follow from types, such as a broadcast's `shape`)."""
    before: str
    after: str
    """`before` and `after` are what differs, as text: `axes=(0,)`, `f32[8,32]`. Both are empty for
    an eqn that was added or removed."""


class Compared(Record, frozen=True):
    """How two programs differ. The program that has this record is made from both: its one stage
    has the eqns of both, and those that match only once, as in the later program. Where types or
    params differ, it has both (`f32[8→5,32]`)."""

    before: str
    """The earlier program's name."""
    after: str
    """The later program's name."""
    inputs: list[Change]
    """How the inputs and results differ."""
    marks: list[Mark]
    """One for each eqn that differs, in their order. Where there are none and `inputs` is empty,
    the programs are the same."""


class Program(Record, frozen=True):
    """All that is known of one captured call."""

    version: int
    jax: str
    """The version of JAX that made it."""
    name: str
    args: list[Leaf]
    fixed: list[Fixed]
    """What else was passed, in the order of the arguments."""
    results: list[Leaf]
    listings: list[Listing]
    stages: list[Stage]
    """The jaxpr, then the later stages that were made, in their order."""
    compared: Compared | None
    """How the two programs differ that this one was made from; None for a captured one."""


class Display(Record, frozen=True):
    """What a notebook's output holds of a program (MIME type `application/vnd.jaxviz.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty where that is not known."""
    program: str
    """A `Program` as `jaxviz/display/wire` encodes it, in base64."""
    partial: str | None
    """What was left out of a program too large to save, as one sentence."""
    opening: Opening
    key: str
    """The kernel's name for the program, with which the page asks for later stages."""
