"""A captured program, as the user holds it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.capture import CallAgain, CaptureError, LaterStages
from jaxviz.display.text.summary import eqns_of
from jaxviz.display.wire import decode
from jaxviz.displayed import Displayed
from jaxviz.export import FORMS, ToSave, save
from jaxviz.safety.background import OnProgress
from jaxviz.schema import first_made
from jaxviz.schema.check import first_fault
from jaxviz.schema.upgrade import read
from jaxviz.stages import StageKind, Stages, finished

if TYPE_CHECKING:
    from jaxviz.tools.profile.report import AskedPeak, Profile
    from jaxviz.tools.statistics.report import Statistics

TOOLS: dict[str, Callable[..., Any]] = {}
"""By their name, the tools that run a captured program: `tools/registry.py` adds them."""


class Program(Displayed):
    """The program JAX made of one call: strings and numbers, and nothing of the call itself.

    `inspect` captures one, `load` reads one, and a log has those of its traces. As the last value
    of a cell it is the picture; `print` gives a summary. It is immutable, but that it keeps the
    stages once they were asked for: what they are made of (JAX's jaxpr, and at most 16 MiB of the
    arrays that the function closes over) goes as soon as all of them are made; where those arrays
    are 64 KiB or less it waits for `passes`, too. Two are equal when all that was captured of them
    is.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> program = jaxviz.inspect(lambda x: jnp.sin(x) * 2.0)(jnp.ones(3))
    >>> [(leaf.path, leaf.aval.text) for leaf in program.args]
    [('x', 'f32[3]')]
    >>> [eqn.op for eqn in program.stage("jaxpr").graphs[0].eqns]
    ['sin', 'mul']
    >>> program.stage("hlo").memory.outputs  # bytes
    12
    """

    __slots__ = ()

    def __init__(
        self,
        record: schema.Program,
        jaxpr: Callable[[], schema.Stage] | None = None,
        later: LaterStages | None = None,
        opening: schema.Opening = schema.UNCHOSEN,
        again: CallAgain | None = None,
    ) -> None:
        super().__init__(Stages(record, later, jaxpr, again), opening)

    @property
    def record(self) -> schema.Program:
        """All that is known so far, as it is saved and sent."""
        return self._stages.shown

    @property
    def _captured(self) -> schema.Program:
        """What was known at first: two programs are equal when that is."""
        record = self._stages.record
        return replace(record, stages=[replace(first_made(record), times=None)], findings=[])

    @property
    def name(self) -> str:
        """The function's name, with the transformations around it: `grad(loss)`."""
        return self._stages.head.name

    @property
    def args(self) -> list[schema.Leaf]:
        """The inputs by the user's paths (`params['w1']`), each with its aval."""
        return list(self._stages.head.args)

    @property
    def fixed(self) -> list[schema.Fixed]:
        """The arguments that are no inputs, each with what it is and why.

        A static argument of jit is `static`; what holds no array is `closed over`.
        """
        return list(self._stages.head.fixed)

    @property
    def results(self) -> list[schema.Leaf]:
        """The outputs by path (`result[0]`), each with its aval."""
        return list(self._stages.head.results)

    @property
    def findings(self) -> list[schema.Finding]:
        """What costs more than it needs to; `# jaxviz: ignore upcast` silences it on a line."""
        return list(self._stages.shown.findings)

    def stage(self, kind: StageKind, tell: OnProgress | None = None) -> schema.Stage:
        """Give one form of the program, made when it is first asked for.

        JAX lowers, and XLA compiles, a clone of the traced program, in which each eqn bears its
        number; the function's body does not run again. An interrupt ends the waiting, and asking
        again goes on where it was; what another process compiles begins anew.

        Parameters
        ----------
        kind : {"jaxpr", "stablehlo", "hlo"}
            What JAX traced, what it lowered that to, or what XLA made of it: optimized, for one
            device.
        tell : callable, optional
            Called twice a second with what is being done (`compiling`) and for how many seconds.
            By default that is printed on standard error after 5 seconds.

        Returns
        -------
        Stage
            Its graphs, text, cost (flops and bytes) and memory (bytes). What JAX or XLA refuses is
            a stage whose `error` says why; asking again tries again.

        Raises
        ------
        ValueError
            For a kind there is not, and where the program was loaded from a file that does not hold
            the stage.
        """
        return self._stages.stage(kind, tell)

    def profile(self, repeats: int = 10, *, peak: AskedPeak = None) -> Callable[..., Profile]:
        """Measure what each of its instructions takes, and each line of yours.

        As `jaxviz.profile` does, but without tracing the call again: what was captured is compiled
        and run with the arguments that are given. A program keeps what it can run with as long as
        stages can be made of it, and no argument.

        Parameters
        ----------
        repeats : int, optional
            How often it runs under the profiler, twice at least.
        peak : (float, float) or "measured", optional
            What the machine does at most in a second, flops and bytes: the rates of
            instructions are held against it; "measured" measures it first.

        Returns
        -------
        callable
            What takes arguments like those of the call that was captured, and returns a `Profile`.

        Raises
        ------
        ValueError
            If `repeats` is less than 2, and for a `peak` that is none.
        CaptureError
            When that is called: as `jaxviz.profile` does; where the arguments are of other types
            than those of the call, or fixed as other values; and where what the program was made
            of is gone, as of one that was loaded.

        Examples
        --------
        >>> import jax.numpy as jnp, jaxviz
        >>> program = jaxviz.inspect(lambda x: jnp.sum(jnp.sin(x)))(jnp.ones(1000))
        >>> found = program.profile(repeats=2)(jnp.ones(1000))
        >>> sorted({part.op for row in found.rows for part in row.parts})
        ['reduce_sum', 'sin']
        """
        return TOOLS["profile"](self, repeats, peak)

    def statistics(self, *args: Any, **kwargs: Any) -> Statistics[Program]:
        """Tell how large the values are that its eqns make of these arguments.

        As `jaxviz.statistics` does, but without tracing the call again.

        Raises
        ------
        CaptureError
            As what `profile` returns does.

        Examples
        --------
        >>> import jax.numpy as jnp, jaxviz
        >>> program = jaxviz.inspect(lambda x: jnp.exp(x) - 1.0)(jnp.zeros(2))
        >>> [(row.op, row.inf) for row in program.statistics(jnp.array([0.0, 100.0])).rows]
        [('exp', 1), ('sub', 1)]
        """
        return TOOLS["statistics"](self)(*args, **kwargs)

    def save(self, path: str | Path) -> None:
        """Write the program to a file, in the form its suffix names.

        Parameters
        ----------
        path : str or Path
            `.json` is what `load` reads; `.svg` the picture, and `.png` the same as a bitmap (with
            `pip install 'jupyterlab-jaxviz[png]'`); `.html` the view as a page that needs no
            network, with the stages that were made so far. `.jaxpr`, `.mlir` (StableHLO) and `.hlo`
            are the text of that stage, which is made for it. `.dot` is the graph for Graphviz,
            which draws it: `dot -Tpdf f.dot -o f.pdf`.

        Raises
        ------
        ValueError
            For another suffix, for a stage that JAX or XLA refuses, with its reason, and for a
            picture of a program without a graph, or where quickjs-ng, which draws it, is missing or
            fails.
        ImportError
            For `.png` where resvg, which makes the bitmap, is not installed.
        FileNotFoundError
            For `.html` where the widget's script was not built.
        """
        save(ToSave(self._stages, self._opening), path, FORMS)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: a program is of one call, and `inspect(lowered)` takes no arguments."""
        raise CaptureError(
            f"{self.name} is a program already, and takes no arguments: what JAX made of a call is "
            "shown as it is."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._captured == other._captured

    def __hash__(self) -> int:
        return hash((self.name, self._stages.head.jax))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its record: what is unpickled is as what `jaxviz.load` reads."""
        return unpickled, (msgspec.json.encode(self.record),)

    def __repr__(self) -> str:
        return f"<jaxviz.Program {self.name}: {eqns_of(first_made(self._captured))}>"


def encoded_program(text: str) -> schema.Program:
    """Read a program that a report has, as `Display.program`.

    Raises ValueError where it is damaged.
    """
    record = decode(b64decode(text))
    fault = first_fault(record)
    if fault is not None:
        raise ValueError(fault)
    return record


def checked_program(argument: str, program: Any) -> Program:
    """Give what was passed as that argument. Raises TypeError where it is no program."""
    if not isinstance(program, Program):
        raise TypeError(
            f"{argument} must be a jaxviz.Program, as jaxviz.inspect(function)(*args) gives it, "
            f"not {type(program).__name__}."
        )
    return program


def unpickled(text: bytes) -> Program:
    """Give the program that was pickled as this record."""
    return Program(read(text, schema.Program))


def finished_program(
    record: schema.Program, later: LaterStages | None, opening: schema.Opening
) -> Program:
    """Give the program with the groups and costs of the stages that were captured."""
    jaxpr, *others = record.stages
    stages = [finished(jaxpr, None, record.listings), *(finished(one, jaxpr) for one in others)]
    return Program(replace(record, stages=stages), None, later, opening)


def unfinished_program(record: schema.Program) -> Program:
    """Give a program whose trace has stopped.

    It has no costs: they leave out eqns that no result needs, and its results are not known.
    """
    whole = finished_program(record, None, schema.UNCHOSEN).record
    return Program(
        replace(whole, stages=[*map(_uncosted, whole.stages)]), None, None, schema.UNCHOSEN
    )


def _uncosted(stage: schema.Stage) -> schema.Stage:
    graphs = [
        replace(graph, eqns=[replace(eqn, cost=None) for eqn in graph.eqns])
        for graph in stage.graphs
    ]
    return replace(stage, graphs=graphs, cost=None)
