"""The records of a program: what jaxviz captured of one call."""

from __future__ import annotations

from jaxviz.schema.card import Page
from jaxviz.schema.graph import Aval, Cost, EqnValues, Frame, Graph, Leaf, StageTimes
from jaxviz.schema.opening import Opening
from jaxviz.schema.params import MeshAxis
from jaxviz.schema.record import Record, Sentence, Words
from jaxviz.schema.report import Report


class Finding(Record, frozen=True):
    """One place in a program or in a log that is wrong, or costs more than it needs to."""

    kind: str
    """The name of its kind (`upcast`, `constant`), as `# jaxviz: ignore upcast` writes it."""
    what: Sentence
    """The fact, in one sentence."""
    cost: Sentence
    """Its cost, in one sentence."""
    fix: Sentence
    """The suggested fix, in one sentence."""
    page: Page
    """The help page of the kind, with an example and its fix."""
    at: Frame | None
    """The user's line where it begins; None if there is none."""
    eqns: list[int]
    """The eqns of the jaxpr that it is about, numbered through all graphs in their order."""
    names: list[str]
    """The arguments or constants that it is about, by the user's paths."""
    bytes: int | None
    """The size of all values that it is about together."""
    is_note: bool = False
    """A note is worth knowing, but may be meant: it fails no `check`."""

    @property
    def lines(self) -> tuple[str, str, str]:
        """Its kind with the fact and its line, its cost, and its fix."""
        where = f"{self.at.file}, line {self.at.line}: " if self.at is not None else ""
        kind = f"{self.kind}, a note" if self.is_note else self.kind
        return f"{kind} · {where}{self.what}", f"costs: {self.cost}", f"fix: {self.fix}"

    def __repr__(self) -> str:
        first, *others = self.lines
        return "\n  ".join([f"<Finding {first}", *others]) + ">"

    def __str__(self) -> str:
        return "\n  ".join(self.lines)


class FrozenValue(Record, frozen=True):
    """A value that Python read while a function was traced, and that is another one now."""

    function: str
    path: str
    """`scale`, `sim.dt`, `cfg['lr']`"""
    kind: str
    """`value`, `hidden` (a value named like a secret), `array` (another object), `contents` (of the
    same type, in a NumPy array), `function` or `class` (other code)."""
    before: str
    """The value at the trace, or the type of an array."""
    now: str
    types: str
    """The types of the traced arguments."""
    traced: Frame | None
    """The line that caused the trace."""
    at: Frame | None
    """The line that reads it."""


class Fixed(Record, frozen=True):
    """An argument, or part of one, that is not an input of the program: its value is fixed."""

    path: str
    """`mode`, `axis`, `params['note']`."""
    text: str
    """The value if it is small and plain (`'train'`, `(0, 1)`, `relu`), else its type."""
    kind: str
    """`static` (a static argument of `jax.jit`) or `closed over` (any other argument without
    arrays)."""


NEW = " (new)"
"""Follows the name of an argument that a result replaces."""


class Call(Record, frozen=True):
    """Names, donation and shardings of the values that a call passes, closes over and returns."""

    fixed: list[Fixed]
    """The same as `Program.fixed`: they are drawn beside the inputs."""
    consts: list[str]
    """The user's name for each of the first graph's `constvars`; empty if not known."""
    donated: list[int]
    """The first graph's `invars` that are donated: their memory may be used for results."""
    shardings: list[str]
    """For each of the first graph's `invars`, then for each of `outvars`, its partition spec
    (`P('data')`) if its type does not have it. Empty for a value that is not split, and an empty
    list if none is split."""
    results: list[str]
    """The user's name for each of `outvars`, with its keys (`params['w']`), from the function's
    return statement; `∂params['w']` for a derivative with respect to an argument, and
    `params['w'] (new)` for a result that replaces an argument. Empty if not certain."""
    mesh: list[MeshAxis]
    """The axes of the mesh on which arguments and results are split, in its order; empty if there
    is no mesh, or more than one."""
    lost: tuple[int, ...] = ()
    """The first graph's `invars` that jit was asked to donate, although JAX does not: the program
    does not use them, or it was traced while `jax_debug_nans` was on. The latter are not in
    `donated`."""


class Memory(Record, frozen=True):
    """Bytes on one device, as XLA reports them; None for a number that it does not report."""

    arguments: int | None
    outputs: int | None
    temporaries: int | None
    aliased: int | None
    """The part of the outputs that reuses the memory of donated arguments."""
    code: int | None
    peak: int | None

    @property
    def aside(self) -> int | None:
        """The bytes that XLA sets aside in total; None if a part is not reported."""
        if self.arguments is None or self.outputs is None or self.temporaries is None:
            return None
        return self.arguments + self.outputs + self.temporaries - (self.aliased or 0)


class Collective(Record, frozen=True):
    """The communication between devices that one eqn causes."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`all-reduce`, `all-gather`, `reduce-scatter`, `all-to-all`, `permute` or `broadcast`."""
    axes: list[str]
    """The axes of the mesh along which devices communicate; empty if not known."""
    devices: int | None
    """The number of devices in one group. For a permute it is the number of senders: in a jaxpr
    those along its axis, else those of the whole mesh. None if not known."""
    sent: int | None
    """Bytes that each device sends in one run; if devices differ, the largest number. None if not
    known. `jaxviz/analysis/collectives` has the formulas."""
    cause: Words
    """In optimized HLO: why the partitioner inserted it, in a clause that says how the operands of
    an eqn are split. Empty if the program itself contains it, and if the cause is not certain."""


class Outlier(Record, frozen=True):
    """A cast to a wider float that one layer makes and its siblings do not."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    layer: str
    """The name of the layer that makes it."""
    siblings: int
    """The number of repeated layers that do not make it."""
    shared: bool
    """True if these layers also run its expression: then nobody wrote it only for this layer."""


class Stage(Record, frozen=True):
    """One form of the program."""

    kind: str
    """`jaxpr`, `stablehlo` or `hlo` (optimized by XLA, for one device)."""
    graphs: list[Graph]
    """The first one is the whole program; the others are bodies."""
    avals: list[Aval]
    frames: list[Frame]
    scopes: list[str]
    call: Call | None
    """Names and shardings of the call's values; None for a program made from a jaxpr alone."""
    text: str
    notes: list[Sentence]
    """Facts that this version of JAX does not provide, and warnings to the reader."""
    cost: Cost | None
    """The cost of one run of the program."""
    reported: Cost | None
    """The cost that XLA reports. XLA counts the body of a loop once."""
    memory: Memory | None
    """The memory that one run of the program needs; only in optimized HLO."""
    took: int | None
    """The milliseconds in which JAX and XLA made it; None for the jaxpr."""
    error: Sentence | None
    """Why the stage could not be made; then all lists are empty."""
    collectives: list[Collective]
    """The communication between devices, in the order of the eqns. The communication that follows
    from the shardings of arrays appears only in optimized HLO."""
    strays: list[Outlier]
    """Casts to a wider float that a layer makes and its siblings do not, in the order of the
    eqns."""
    times: StageTimes | None
    """The times of its eqns in profiled runs; None if there are none for this stage."""
    values: list[EqnValues]
    """Statistics of the results of its eqns in a measured run, in the order of the eqns, without
    eqns that did not run. Empty if no run was measured, and in later stages."""


class Listing(Record, frozen=True):
    """The user's own code that a program was made from: a cell, or part of a file."""

    file: str
    cell: str | None
    """`file` and `cell` are the same as in `Frame`."""
    count: int | None
    start: int
    """The number of the first line, from 1."""
    text: str


class Change(Record, frozen=True, kw_only=False):
    """One difference between two calls of the same function."""

    kind: str
    """`shape`, `dtype`, `weak type`, `values` (of an array that is closed over), `moved` (another
    place among the inputs or results), `static` (a static value, or an array in its place),
    `style` (by position or by keyword), `pytree`, `none` (None or array), `config`, `sharding`,
    `device`, `committed`, `mesh`, `options` (of jit), `class` (defined again, at the places
    `before` and `after`), `function` (a new function object of the same code), `cleared` (its
    cache), `first` (there is no earlier call), `order` (JAX does not report which call came first)
    or `unknown`."""
    where: str
    """The user's path to the argument (`params['w']`), or the name of the flag; else empty."""
    before: Words
    after: Words


class Mark(Record, frozen=True):
    """The difference of one eqn between the two programs of a comparison."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`added`, `removed`, `moved` (the same in another place), `changed` (its params or operands
    differ) or `retyped` (only the types of its results differ, and params that follow from types,
    such as a broadcast's `shape`)."""
    before: str
    after: str
    """`before` and `after` are the parts that differ, as text: `axes=(0,)`, `f32[8,32]`. Both are
    empty for an eqn that was added, removed or moved."""


class Compared(Record, frozen=True):
    """The differences of two programs.

    The program with this record is made from both. Its one stage has the eqns of both; eqns that
    match are there once, as in the later program. Types and params that differ have both texts
    (`f32[8→5,32]`).
    """

    before: str
    """The earlier program's name."""
    after: str
    """The later program's name."""
    inputs: list[Change]
    """The differences of the inputs and results."""
    marks: list[Mark]
    """One for each eqn that differs, in their order. If there are none and `inputs` is empty, the
    programs are equal, except perhaps for the values of `unknown`."""
    unknown: list[str]
    """The closed-over arrays whose values were not compared, by the user's name or by type."""


class Drawn(Record, frozen=True):
    """Random numbers or a time that Python code drew while a function was traced."""

    kind: str
    """`random`, or `time` if a scalar of the program is the time of the trace."""
    source: str
    """The function that draws, as the user names it: `np.random.normal`, `time.time`."""
    frames: tuple[Frame, ...]
    """The user's lines that name the generator or the clock. It is not known which of them ran."""
    eqns: tuple[int, ...]
    """The eqns that take the time, numbered through all graphs in their order. Empty if only a
    result is the time, and for random numbers."""


class Program(Record, frozen=True):
    """A captured call: its arguments, results, code and stages."""

    version: int
    jax: str
    """The version of JAX that made it."""
    name: str
    args: list[Leaf]
    fixed: list[Fixed]
    """The arguments that are not inputs of the program, in their order."""
    results: list[Leaf]
    listings: list[Listing]
    stages: list[Stage]
    """The jaxpr, then the later stages that were made, in their order."""
    compared: Compared | None
    """For a comparison: the differences of its two programs. None for a captured program."""
    findings: list[Finding]
    """The places that cost more than they need to; empty until the program is shown or saved."""
    drawn: tuple[Drawn, ...] = ()
    """Random numbers and times that are constants of the program, if jaxviz saw its trace."""
    frozen: tuple[FrozenValue, ...] = ()
    """The values that an earlier trace read and that are others now."""


class SavedReport(Record, frozen=True):
    """A report with its program, as a file contains it."""

    version: int
    program: Program
    report: Report


def first_made(program: Program) -> Stage:
    """Return the first stage that could be made: the jaxpr, unless JAX has only later ones."""
    return next((stage for stage in program.stages if stage.error is None), program.stages[0])


class Display(Record, frozen=True):
    """A program as an output contains it (MIME type `application/vnd.jaxviz.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty if that is not known."""
    program: str
    """A `Program` as `jaxviz/display/wire` encodes it, in base64."""
    partial: Sentence | None
    """The parts that were left out of a program too large to save."""
    opening: Opening
    key: str
    """The kernel's name for the program. The page uses it to ask for later stages."""
    since: str
    """The difference from the program that the cell showed in its last run: `changed`, `same` if
    only the code changed, or empty if there is nothing to say."""
    report: Report | None
    """A tool's report on the program. With an error's card, the program is the part that JAX had
    recorded when the error was raised, and may be empty. If the report has several programs, this
    is the first."""
    can_step: bool
    """True if the page may ask for the steps of its trace. Then the function runs once more."""
