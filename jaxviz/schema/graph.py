"""The records of a graph: its eqns, variables and groups, and the source lines of its eqns.

`outside_in` and `inner_first` order graphs, which contain one another as bodies of eqns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

from jaxviz.schema.params import Attributes, Param
from jaxviz.schema.record import NOTHING, Record, Sentence, Words


class Aval(Record, frozen=True):
    """An abstract value: the shape, dtype and other properties that JAX knows while tracing."""

    text: str
    """The text that JAX prints: `f32[8,64]`, `key<fry>[]`, `Ref{f32[8]}`."""
    kind: str
    """`array`, `key`, `ref`, `token`, `tuple` (of optimized HLO) or `other`."""
    shape: list[int | str] | None
    """Dimensions, symbolic ones by name; None if the kind has no shape."""
    dtype: str
    """`float32`, `key<fry>`; empty if the kind has none."""
    weak_type: bool
    sharding: str | None
    """The partition spec (`P('data', None)`), if the type has one. Later stages have their own
    notation (`{devices=[2,1]<=[2]}`)."""
    memory: str | None
    """The memory space, if it is not the device's default."""
    layout: str | None
    """In optimized HLO: the dimensions, the one that changes fastest first, and tiles: `{1,0}`."""
    bytes: int | None
    """Bytes of the whole value; None if the size is not a number."""


class Leaf(Record, frozen=True):
    """One input or output of the whole program, named by the user's own path."""

    path: str
    """`params['w1']`, `x`, `result[0]`."""
    aval: Aval


class Var(Record, frozen=True):
    """A variable or a literal of a graph."""

    name: str
    """The name in the stage's text (`a`, `2.0:f32[]`); `_` for a result that is dropped."""
    aval: int
    literal: bool
    named: str = ""
    """The user's name of a literal: `scale` of the `2.0` of `x * scale`. Empty if it has none, or
    if that is not certain."""


class Body(Record, frozen=True):
    """A graph inside an eqn, such as the body of a loop."""

    label: str
    """Its role in the eqn: `true`, `false`, `branch 2`, `condition`, `body`, `jvp`…"""
    graph: int
    inputs: tuple[int, ...]
    """For each input of the graph, the operand of the eqn that becomes it (index into the eqn's
    `invars`); -1 for a loop index, for a pallas ref, and if not known."""
    outputs: tuple[int, ...]
    """For each output of the graph, the result of the eqn that it becomes (index into `outvars`);
    -1 if there is none, or if not known."""


class Cost(Record, frozen=True):
    """The arithmetic of an eqn or a program, and the memory that it reads and writes."""

    flops: int | None
    """Operations on elements, counted in the same way as by XLA's cost analysis: of any dtype,
    with comparisons and conversions. None if not known."""
    transcendentals: int | None
    """Values of functions such as sin, exp, log, tanh and pow. XLA counts them separately, since
    each takes many operations. None if not known, and in programs of an earlier format, whose flops
    include them."""
    bytes: int | None
    """Bytes of operands read and of results written; None if not known."""
    least: bool
    """True if all are lower bounds, because a part is not known, such as a loop's number of
    iterations."""


class Peak(Record, frozen=True):
    """The machine's largest rates, with which measured rates are compared."""

    flops: int
    """Flops per second."""
    bytes: int
    """Bytes read and written per second."""
    measured: bool
    """True if both were measured on this machine; false if the user passed them."""


class StageTimes(Record, frozen=True):
    """The measured time of each eqn of a stage.

    The time of an operation is the shortest of its runs, and the mean of several devices.
    """

    chains: list[list[int]]
    """Each chain ends with the number of a measured eqn. Before it are the eqns around it, from the
    first graph on. Its time is that of all its runs at this place, without its bodies. The time of
    other eqns is not known."""
    nanoseconds: list[int]
    """The time of each of `chains`."""
    whole: int
    """Nanoseconds of all operations, also of those whose eqn is not known."""
    peak: Peak | None
    """None if the user passed none."""


class EqnValues(Record, frozen=True):
    """Statistics of an eqn's results in all its runs: each list has one item for each result."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    largest: list[str]
    """The largest magnitude of the finite elements as text, to three digits, such as `6.18e+04`;
    empty if no element is finite, and for results that are not floating-point numbers."""
    nan: list[int]
    """The number of NaN elements."""
    inf: list[int]
    """The number of infinite elements."""
    written: list[int]
    """The indices of results that contain only literals of the program."""
    spread: list[str]
    """The smallest and the largest finite element as text, such as `-3.2…4.1`; empty if no
    distribution was made, or no element is finite."""


class Eqn(Record, frozen=True):
    """One equation of a jaxpr (an operation or instruction in later stages).

    Its lists are tuples: Python's garbage collector does not visit tuples of numbers and strings,
    but it would visit some hundred thousand lists of a large program.
    """

    op: str
    """The primitive's name: `add`, `dot_general`, `jit`."""
    name: str
    """The name of the function that the eqn calls, such as `relu` for a `jit` of it. For a loop or
    choice, the function of JAX that made it, such as `fori_loop` for a `scan`, if that is not the
    primitive's own. For a `select_n` that vmap made of a choice: `cond` or `switch`. Else empty."""
    invars: tuple[int, ...]
    outvars: tuple[int, ...]
    roles: tuple[str, ...]
    """For each of `invars`, its role in the bodies; empty if none has a role. In a loop the role is
    `const`, `xs` (sliced) or `carry` (passed from iteration to iteration; the last values are the
    first results). In a choice it is `index` or `pred`."""
    params: tuple[Param, ...]
    attributes: Attributes | None
    """The params as values; None if jaxviz does not calculate with them."""
    bodies: tuple[Body, ...]
    effects: tuple[str, ...]
    frame: int | None
    """The user's innermost frame."""
    call: int | None
    """The innermost frame, also in a library: `frame`, or a frame that it calls."""
    inherited: bool
    """True if JAX has no frame of the user, so that `frame` is that of an enclosing eqn."""
    scope: int
    """Index into `scopes`: the name stack."""
    span: tuple[int, ...] | None
    """Its characters in the stage's text, `[start, stop)`, with nested bodies."""
    origin: tuple[int, ...]
    """In later stages: the eqn of the jaxpr that this one was made for, as the last number. Before
    it are the eqns around that one, outermost first. Eqns are numbered through all graphs of the
    jaxpr in their order. Empty in the jaxpr, and if not known. Without a jaxpr, these are eqns of
    the first stage that could be made."""
    guess: bool
    """True if `origin` is guessed from the eqns around this one: neither JAX nor XLA wrote it."""
    own: Words
    """In optimized HLO: why XLA itself inserted the instruction, such as a cast for a bf16 dot on
    CPU. Then `origin` is the eqn that needs it. Empty if the program may contain it."""
    trips: int | None
    """The number of iterations in one run of a loop; None for other eqns, and if not known."""
    cost: Cost | None
    """The cost of one run of the eqn, with its bodies as often as it runs them."""
    was: tuple[int, ...] = ()
    """In a comparison: the variables that the eqn took in the earlier program and that the later
    one lacks, such as results of removed eqns."""


class Group(Record, frozen=True):
    """Consecutive eqns of a graph that belong together.

    A group may contain others, but groups never overlap in part.
    """

    name: str
    kind: str
    """`scope` (of a name scope, or a part of a training step), `call` (of a call, a line, or the
    parameters of a layer), `repeat` (neighbouring groups that are alike, or whose `twin`s are
    alike) or `section` (part of a long run, cut where the fewest values cross)."""
    role: str
    """Its part in a training step: `forward`, `loss` (the end of the forward pass), `backward`,
    `optimizer`, `recompute` (values that the backward pass computes again), `state` (new values of
    an argument that is not trained, such as running means), `metrics` or empty. An empty role means
    the role of the parent."""
    parent: int | None
    """Index into the graph's `groups`, always smaller than this group's own."""
    twin: int | None
    """Index into the graph's `groups`: a forward group. This group computes its derivative,
    recomputes its values, or updates its parameters."""
    alike: int
    """Groups of one graph with the same number repeat one another eqn for eqn: they have the same
    primitives, params (except starts of slices), literals (except indices), avals and wiring. -1
    for a group that no other repeats."""
    start: int
    stop: int
    """Eqns `[start, stop)` of the graph."""
    loop: str
    """`for` (also of a comprehension), `while`, `reduce` or `recursion` if the members of a
    `repeat` are the iterations of a Python loop, which JAX unrolled; else empty."""
    loop_line: int
    """The user's line on which that loop begins, from 1; 0 if there is none."""
    unlike: Sentence = NOTHING
    """The difference from its siblings, which are alike: `f32 weights`. Empty for most groups."""
    named_by: str = ""
    """The source of its name: `scope` (a name scope), `function` (on the user's call stack),
    `library` (a function of a library), `rule` (the function with a rule of a custom derivative),
    `argument` (the path of its parameters), `line` (the user's lines), `operation`, `part` (of a
    training step) or empty (the groups in it)."""


class Graph(Record, frozen=True):
    """A jaxpr (in later stages a function, region or computation).

    A graph that is the body of several eqns is stored once.
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
    """The file's path from the working directory. For a file outside of it: the last two parts."""
    line: int
    """From 1, in the file or in the notebook's cell."""
    column: int
    """The first character of the expression that makes the call, from 1; 0 if not known."""
    end_line: int
    end_column: int
    """`end_line` and `end_column` are the place after the expression's last character; 0 if not
    known."""
    code: str
    """The text of that line, stripped; empty if it could not be read."""
    cell: str | None
    """The notebook cell's id."""
    count: int | None
    """The cell's execution count."""
    library: bool
    """True if it is in an installed package, not in a file of the user. JAX's own frames are left
    out."""
    parent: int | None
    rules: str = ""
    """If this line calls a function with custom rules for its derivative: the functions of the
    forward and the backward rule of a `custom_vjp` (`flash_fwd flash_bwd`), or of the only rule of
    a `custom_jvp`. Empty if they are not known."""


def line_text(frame: Frame) -> str:
    """Write a line of the user for a sentence: `train.py, line 3 (y = x @ w)`."""
    code = f" ({frame.code})" if frame.code else ""
    return f"{frame.file}, line {frame.line}{code}"


def outside_in(graphs: Sequence[Graph]) -> list[int]:
    """Order the graphs' indices, each before the bodies of its eqns.

    Graphs that contain one another in a circle, and their bodies, are left out.
    """
    uses = [0] * len(graphs)
    bodies = [[body.graph for eqn in graph.eqns for body in eqn.bodies] for graph in graphs]
    for graph in chain.from_iterable(bodies):
        uses[graph] += 1
    order = [index for index, count in enumerate(uses) if count == 0]
    for index in order:
        for graph in bodies[index]:
            uses[graph] -= 1
            if uses[graph] == 0:
                order.append(graph)
    return order


def inner_first(graphs: Sequence[Graph]) -> list[int]:
    """Order the graphs' indices, each once and after the bodies of its eqns.

    Takes time linear in eqns and bodies, and does not recurse.
    """
    bodies = [dict.fromkeys(b.graph for e in graph.eqns for b in e.bodies) for graph in graphs]
    order: list[int] = []
    begun: set[int] = set()
    for root in range(len(bodies)):
        if root in begun:
            continue
        begun.add(root)
        stack = [(root, iter(bodies[root]))]
        while stack:
            graph, rest = stack[-1]
            inner = next((each for each in rest if each not in begun), None)
            if inner is None:
                order.append(graph)
                stack.pop()
            else:
                begun.add(inner)
                stack.append((inner, iter(bodies[inner])))
    return order


def first_eqns(graphs: Sequence[Graph]) -> list[int]:
    """Return the number of each graph's first eqn, counted through all graphs, and the total."""
    return [*accumulate((len(graph.eqns) for graph in graphs), initial=0)]


def count_eqns(graphs: Sequence[Graph], eqns: Sequence[Eqn]) -> int:
    """Count eqns and the eqns of their bodies. All counts that jaxviz shows come from here.

    A body of several eqns counts once, however often it runs, because it is once in the text. So
    the count of a whole stage is the number of lines of its text that compute something.
    """
    seen: set[int] = set()
    waiting, count = [eqns], 0
    for some in waiting:
        count += len(some)
        for eqn in some:
            for body in eqn.bodies:
                if body.graph not in seen:
                    seen.add(body.graph)
                    waiting.append(graphs[body.graph].eqns)
    return count
