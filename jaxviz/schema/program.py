"""The records of a program: what jaxviz captured of one call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jaxviz.schema.finding import Finding
from jaxviz.schema.graph import Aval, Cost, EqnValues, Frame, Graph, Leaf, StageTimes
from jaxviz.schema.opening import Opening
from jaxviz.schema.params import MeshAxis
from jaxviz.schema.record import Record
from jaxviz.schema.report import Report
from jaxviz.schema.sentence import Sentence, Words


class Fixed(Record, frozen=True):
    """One argument, or part of one, that is no input of the program: its value is fixed in it."""

    path: str
    """`mode`, `axis`, `params['note']`."""
    text: str
    """A plain small value as it is (`'train'`, `(0, 1)`, `relu`); of others the type."""
    kind: str
    """`static` (a static argument of `jax.jit`) or `closed over` (any other that holds no
    array)."""


class Call(Record, frozen=True):
    """What is known of the values that a call passes, closes over and returns, besides types."""

    fixed: list[Fixed]
    """As `Program.fixed`: they are drawn beside the inputs."""
    consts: list[str]
    """What the user's code calls each of the first graph's `constvars`; empty where not known."""
    donated: list[int]
    """Which of the first graph's `invars` are donated: their memory may be used for results."""
    shardings: list[str]
    """For each of the first graph's `invars`, then for each of `outvars`, its partition spec
    (`P('data')`) where its type does not have it; empty where it is not split, and an empty list
    where none is."""
    results: list[str]
    """What the user's code calls each of `outvars`, with its keys (`params['w']`): as the
    function's return statement says it, `∂params['w']` for a derivative with respect to an
    argument. Empty where that is not sure."""
    mesh: list[MeshAxis]
    """The axes of the mesh on which arguments and results are split, in its order; empty where
    there is none, or several."""


class Memory(Record, frozen=True):
    """Bytes on one device, as XLA reports them; None for what it does not report."""

    arguments: int | None
    outputs: int | None
    temporaries: int | None
    aliased: int | None
    """The part of the outputs that lies in donated arguments."""
    code: int | None
    peak: int | None

    @property
    def aside(self) -> int | None:
        """What XLA sets aside in all; None where a part is not reported."""
        if self.arguments is None or self.outputs is None or self.temporaries is None:
            return None
        return self.arguments + self.outputs + self.temporaries - (self.aliased or 0)


class Collective(Record, frozen=True):
    """What one eqn has devices exchange."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`all-reduce`, `all-gather`, `reduce-scatter`, `all-to-all`, `permute` or `broadcast`."""
    axes: list[str]
    """The axes of the mesh along which; empty where not known."""
    devices: int | None
    """How many devices exchange with each other, those of one group; of a permute how many send,
    in a jaxpr those along its axis, else those of the whole mesh. None where not known."""
    sent: int | None
    """Bytes that each device sends in one run, the one that sends most where they differ; None
    where not known. `jaxviz/analysis/collectives` has the formulas."""
    cause: Words
    """In optimized HLO: how what an eqn needs is split, for which the partitioner has them exchange
    this, in a clause. Empty where the program asks for it, and where that is not certain."""


class Outlier(Record, frozen=True):
    """A cast to a wider float that one layer makes and its siblings do not."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    layer: str
    """The name of the layer that makes it."""
    siblings: int
    """The number of its siblings that repeat one another without it."""
    shared: bool
    """True if those siblings run its line, too: it was not written for this layer alone."""


class Stage(Record, frozen=True):
    """One form of the program."""

    kind: str
    """`jaxpr`, `stablehlo` or `hlo` (what XLA made of it: optimized, for one device)."""
    graphs: list[Graph]
    """The first one is the whole program; the others are bodies."""
    avals: list[Aval]
    frames: list[Frame]
    scopes: list[str]
    call: Call | None
    """More of the arguments and results of the call; None where there is no more than a jaxpr."""
    text: str
    notes: list[Sentence]
    """What this version of JAX did not give, or what is not as it seems."""
    cost: Cost | None
    """The cost of one run of the program."""
    reported: Cost | None
    """The same as XLA reports it, which counts the body of a loop once."""
    memory: Memory | None
    """What one run of the program needs; only in optimized HLO."""
    took: int | None
    """Milliseconds that JAX and XLA took to make it; None for the jaxpr."""
    error: Sentence | None
    """Why the stage could not be made; then all lists are empty."""
    collectives: list[Collective]
    """What devices exchange, in the order of the eqns. What JAX's arrays say of how they are split
    becomes an exchange only in optimized HLO."""
    strays: list[Outlier]
    """Casts to a wider float that a layer makes and its siblings do not, in the order of the
    eqns."""
    times: StageTimes | None
    """What its eqns took in runs that were profiled; None where none were, or where it is not told
    of this stage."""
    values: list[EqnValues]
    """What the results of its eqns were like in a run that told of them, in the order of the eqns:
    of those that ran. Empty where none did, and in later stages."""


class Listing(Record, frozen=True):
    """The user's own code that a program was made from: a cell, or part of a file."""

    file: str
    cell: str | None
    """`file` and `cell` are as in `Frame`."""
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
    `device`, `committed`, `mesh`, `options` (of jit), `class` (defined again; `before` and `after`
    say where), `function` (a new function object of the same code), `cleared` (its cache),
    `first` (no earlier one was seen), `order` (JAX does not tell which of both came first) or
    `unknown`."""
    where: str
    """The user's path to the argument (`params['w']`), or the name of the flag; else empty."""
    before: Words
    after: Words


class Mark(Record, frozen=True):
    """How an eqn differs between the two programs of a comparison."""

    eqn: int
    """Its number: eqns are numbered through all graphs of the stage in their order."""
    kind: str
    """`added`, `removed`, `moved` (the same in another place), `changed` (its params or operands
    differ) or `retyped` (only the types of its results differ, and params that follow from types,
    such as a broadcast's `shape`)."""
    before: str
    after: str
    """`before` and `after` are what differs, as text: `axes=(0,)`, `f32[8,32]`. Both are empty for
    an eqn that was added, removed or moved."""


class Compared(Record, frozen=True):
    """How two programs differ.

    The program that has this record is made from both: its one stage has the eqns of both, and
    those that match only once, as in the later program. Where types or params differ, it has both
    (`f32[8→5,32]`).
    """

    before: str
    """The earlier program's name."""
    after: str
    """The later program's name."""
    inputs: list[Change]
    """How the inputs and results differ."""
    marks: list[Mark]
    """One for each eqn that differs, in their order. Where there are none and `inputs` is empty,
    the programs are the same, but for the values of `unknown`."""
    unknown: list[str]
    """The arrays that both close over whose values were not compared, by the user's name or by
    type."""


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
    findings: list[Finding]
    """What in it costs more than it needs to; empty until it is shown or saved."""


class SavedReport(Record, frozen=True):
    """What a file has of a report: all of it, with its program."""

    version: int
    program: Program
    report: Report


def first_made(program: Program) -> Stage:
    """Give the first stage that could be made: the jaxpr, unless JAX gave only later ones."""
    return next((stage for stage in program.stages if stage.error is None), program.stages[0])


class Display(Record, frozen=True):
    """What a notebook's output holds of a program (MIME type `application/vnd.jaxviz.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty where that is not known."""
    program: str
    """A `Program` as `jaxviz/display/wire` encodes it, in base64."""
    partial: Sentence | None
    """What was left out of a program too large to save."""
    opening: Opening
    key: str
    """The kernel's name for the program, with which the page asks for later stages."""
    since: str
    """How it compares with what the cell showed when it ran before: `changed`, `same` although the
    code changed, or empty where there is nothing to say."""
    report: Report | None
    """What a tool reports on the program, where one was asked. Of an error's card the program is
    what JAX had recorded when it was raised, which may be empty; of several programs it is the
    first."""
    can_step: bool
    """Whether the page may ask for the steps of its trace, for which its function runs once
    more."""


def definitions(listings: Iterable[Listing], name: str) -> Iterator[Frame]:
    """Return the lines that define a function of that name."""
    begins = re.compile(rf"\s*(?:async\s+)?def\s+{re.escape(name)}\s*[(\[]")
    for listing in listings:
        for number, line in enumerate(listing.text.split("\n"), listing.start):
            if begins.match(line):
                yield frame_of_line(listing, number, name)


def frame_of_line(listing: Listing, number: int, function: str = "") -> Frame:
    """Return a line of a listing as a frame, without columns and callers."""
    return Frame(
        function=function,
        file=listing.file,
        line=number,
        column=0,
        end_line=0,
        end_column=0,
        code=listing.text.split("\n")[number - listing.start].strip(),
        cell=listing.cell,
        count=listing.count,
        library=False,
        parent=None,
    )
