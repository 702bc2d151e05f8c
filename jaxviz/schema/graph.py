"""A graph: what its eqns are, take and give, how they are grouped, and where they were written.

`outside_in` and `inner_first` order graphs by which holds which as the body of an eqn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from jaxviz.schema.params import Attributes, Param
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Words


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


class Var(Record, frozen=True):
    """A variable or a literal of a graph."""

    name: str
    """As the stage's text prints it (`a`, `2.0:f32[]`); `_` where the result is dropped."""
    aval: int
    literal: bool


class Body(Record, frozen=True):
    """A graph that an eqn holds, such as the body of a loop."""

    label: str
    """What it is to the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`…"""
    graph: int
    inputs: tuple[int, ...]
    """For each input of the graph, which of the eqn's operands feeds it (index into the eqn's
    `invars`); -1 for a loop index, for a pallas ref, and where it is not known."""
    outputs: tuple[int, ...]
    """For each output of the graph, which of the eqn's results it becomes (index into `outvars`);
    -1 where there is none or it is not known."""


class Cost(Record, frozen=True):
    """How much arithmetic something does, and how much memory it reads and writes."""

    flops: int | None
    """Operations on elements, as XLA's cost analysis counts them: of any dtype, comparisons and
    conversions too. None where not known."""
    transcendentals: int | None
    """Values of functions such as sin, exp, log, tanh and pow. XLA counts them apart, since each
    takes many operations. None where not known, and in programs saved in an earlier format, whose
    flops hold them."""
    bytes: int | None
    """Bytes of operands read and of results written; None where not known."""
    least: bool
    """Whether all are lower bounds, since a part is not known, such as how often a loop runs."""


class Peak(Record, frozen=True):
    """What the machine does at most, to hold rates against."""

    flops: int
    """In a second."""
    bytes: int
    """Read and written in a second."""
    measured: bool
    """Whether that was measured here; else it is as the reader gave it."""


class StageTimes(Record, frozen=True):
    """What runs took, by eqn of a stage.

    Of each operation it is the shortest time of the runs, of several devices the mean.
    """

    chains: list[list[int]]
    """Each is an eqn, after those around it from the first graph on, by their numbers through all
    graphs: it took time by itself, without its bodies, in all its runs at that place. Of eqns that
    are not here no time is known."""
    nanoseconds: list[int]
    """Of each of `chains`."""
    whole: int
    """Nanoseconds of all operations, those included of which no eqn is known."""
    peak: Peak | None
    """None where none was given."""


class EqnValues(Record, frozen=True):
    """The values of an eqn's results in all its runs: each list has one item for each result."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    largest: list[str]
    """The largest magnitude of the finite elements as text, to three digits, such as `6.18e+04`;
    empty where there is none, and of results that hold no floating-point numbers."""
    nan: list[int]
    """The number of elements that were NaN."""
    inf: list[int]
    """The number that were infinite."""
    written: list[int]
    """The results, by number, that are made of numbers alone that are written in the program."""
    spread: list[str]
    """The smallest and the largest finite element as text, such as `-3.2…4.1`; empty where no
    distribution was made, or none was finite."""


class Eqn(Record, frozen=True):
    """One equation of a jaxpr (an operation or instruction in later stages).

    What it lists is in tuples, of which Python's collector lets go where they hold no more than
    numbers and names: of a large program it would look at some hundred thousand lists.
    """

    op: str
    """The primitive's name: `add`, `dot_general`, `jit`."""
    name: str
    """The name of what the eqn calls, such as `relu` for a `jit` of it; else empty."""
    invars: tuple[int, ...]
    outvars: tuple[int, ...]
    roles: tuple[str, ...]
    """For each of `invars`, what it is to the bodies; empty where none is anything to them. In a
    loop that is `const`, `xs` (sliced) or `carry` (passed from trip to trip; the last values come
    first among the results). In a choice it is `index` or `pred`."""
    params: tuple[Param, ...]
    attributes: Attributes | None
    """What the params say, as values; None where no reader needs it."""
    bodies: tuple[Body, ...]
    effects: tuple[str, ...]
    frame: int | None
    """The user's innermost frame."""
    call: int | None
    """The innermost frame, of a library's too: `frame`, or a frame that it leads to."""
    inherited: bool
    """Whether JAX gave no frame of the user's, so that `frame` is that of an enclosing eqn."""
    scope: int
    """Index into `scopes`: the name stack."""
    span: tuple[int, ...] | None
    """Which characters of the stage's text it takes, `[start, stop)`, nested bodies included."""
    origin: tuple[int, ...]
    """In later stages: the eqn of the jaxpr that this one was made for, as the last number; before
    it the eqns that hold that one, outermost first. Eqns are numbered through all graphs of the
    jaxpr in their order. Empty in the jaxpr, and where it is not known. Where there is no jaxpr
    these are the eqns of the first stage that could be made."""
    guess: bool
    """Whether `origin` was guessed from the eqns around this one: neither JAX nor XLA wrote it."""
    own: Words
    """In optimized HLO: why XLA itself inserted the instruction, such as a cast for a bf16 dot on
    CPU; `origin` is then the eqn that it serves. Empty where the program may ask for it."""
    trips: int | None
    """How often one run of a loop runs its bodies; None for other eqns and where not known."""
    cost: Cost | None
    """The cost of one run of the eqn, with its bodies as often as it runs them."""


class Group(Record, frozen=True):
    """Consecutive eqns of a graph that belong together.

    Groups may lie within others, but never overlap in part.
    """

    name: str
    kind: str
    """`scope` (named by the user or JAX), `call` (a function on the user's call stack),
    `repeat` (holds neighbouring groups that are alike, or whose twins are) or `section` (part of a
    long run, cut where the fewest values cross)."""
    role: str
    """Its part in a training step: `forward`, `backward`, `optimizer`, `recompute` (values that
    the backward pass computes again), `state` (what replaces an argument that is not trained, as
    running means), `metrics` or empty. A group without a role of its own has that of its parent."""
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
    loop: str
    """`for` or `while` where the members of a `repeat` are the turns of a Python loop, which JAX
    unrolled; else empty."""
    loop_line: int
    """The line of the user's on which that loop begins, from 1; 0 where there is none."""


class Graph(Record, frozen=True):
    """A jaxpr (in later stages a function, region or computation).

    One that several eqns hold is stored once.
    """

    name: str
    vars: list[Var]
    constvars: tuple[int, ...]
    invars: tuple[int, ...]
    outvars: tuple[int, ...]
    args: tuple[str, ...]
    """The user's path for each of `invars`, or an empty string."""
    results: tuple[str, ...]
    """The user's path for each of `outvars`, or an empty string."""
    eqns: list[Eqn]
    groups: list[Group]
    effects: tuple[str, ...]


class Frame(Record, frozen=True):
    """One call on the user's stack. Each is stored once per stage, after its caller (`parent`)."""

    function: str
    file: str
    """The file's path, relative to the working directory where it is below that; else its last two
    parts."""
    line: int
    """From 1, in the file or in the notebook's cell."""
    column: int
    """The character of the line at which the expression begins that makes the call, from 1; 0
    where not known."""
    end_line: int
    end_column: int
    """`end_line` and `end_column` are the place after the expression's last character; 0 where
    not known."""
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


def line_text(frame: Frame) -> str:
    """Write a line of the user's in a sentence: `train.py, line 3 (y = x @ w)`."""
    code = f" ({frame.code})" if frame.code else ""
    return f"{frame.file}, line {frame.line}{code}"


def outside_in(graphs: Sequence[Graph]) -> list[int]:
    """Order the graphs' indices, each before those that its eqns hold.

    Graphs that hold one another in a circle, and what these hold, are left out.
    """
    holders = [0] * len(graphs)
    bodies = [[body.graph for eqn in graph.eqns for body in eqn.bodies] for graph in graphs]
    for held in bodies:
        for graph in held:
            holders[graph] += 1
    order = [index for index, count in enumerate(holders) if count == 0]
    for index in order:
        for graph in bodies[index]:
            holders[graph] -= 1
            if holders[graph] == 0:
                order.append(graph)
    return order


def inner_first(graphs: Sequence[Graph]) -> list[int]:
    """Order the graphs' indices, each once and after all that its eqns hold.

    Takes time linear in eqns and bodies, and does not recurse.
    """
    held = [list(dict.fromkeys(b.graph for e in graph.eqns for b in e.bodies)) for graph in graphs]
    order: list[int] = []
    begun: set[int] = set()
    for root in range(len(held)):
        if root in begun:
            continue
        begun.add(root)
        stack = [(root, iter(held[root]))]
        while stack:
            graph, rest = stack[-1]
            inner = next((each for each in rest if each not in begun), None)
            if inner is None:
                order.append(graph)
                stack.pop()
            else:
                begun.add(inner)
                stack.append((inner, iter(held[inner])))
    return order


def first_eqns(graphs: Sequence[Graph]) -> list[int]:
    """Give the number of each graph's first eqn, as all are counted, and how many there are."""
    return [*accumulate((len(graph.eqns) for graph in graphs), initial=0)]


def eqns_held(graphs: Sequence[Graph], eqns: Sequence[Eqn]) -> int:
    """Count some eqns with those of their bodies, as everything that we show counts them.

    A body that several of them hold counts once, as it stands once in the text, however often it
    runs. So the count of a whole stage is that of the lines of its text that compute something.
    """
    known: set[int] = set()
    waiting, count = [eqns], 0
    for some in waiting:
        count += len(some)
        for eqn in some:
            for body in eqn.bodies:
                if body.graph not in known:
                    known.add(body.graph)
                    waiting.append(graphs[body.graph].eqns)
    return count
