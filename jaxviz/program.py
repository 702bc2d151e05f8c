"""The program of a captured call, with its stages: `Program`."""

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
from jaxviz.displayed import Displayed, Findings
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
"""The tools that run a captured program, by name. `tools/registry.py` adds them."""


class Program(Displayed):
    """The program that JAX made of one call, in strings and numbers.

    `inspect` captures one, `load` reads one, and a log has the programs of its traces. As the last
    value of a cell it is the picture; `print` gives a summary. It is immutable, but adds stages
    when they are requested. It retains JAX's jaxpr, and at most 16 MiB of closed-over arrays, until
    all stages are made. If these arrays take 64 KiB or less, it retains them for `passes`, too. Two
    programs are equal if all captured facts are equal.

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
        """The record with the stages that were made so far."""
        return self._stages.shown

    @property
    def _captured(self) -> schema.Program:
        """The record with only the first stage. It decides if two programs are equal."""
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
        """The arguments that are no inputs, each with its value as text and its kind.

        A static argument of jit is `static`. An argument without arrays is `closed over`.
        """
        return list(self._stages.head.fixed)

    @property
    def results(self) -> list[schema.Leaf]:
        """The outputs by path (`result[0]`), each with its aval."""
        return list(self._stages.head.results)

    @property
    def findings(self) -> Findings:
        """The places that are wrong or cost more than they need to, then the notes.

        `# jaxviz: ignore upcast` silences one on its line.
        """
        return Findings(self._stages.shown.findings)

    def stage(self, kind: StageKind, on_progress: OnProgress | None = None) -> schema.Stage:
        """Give a stage of the program, which is made on the first request.

        JAX lowers, and XLA compiles, a clone of the traced program with numbered eqns. The
        function's body does not run again. An interrupt ends the wait, but not the work: another
        request continues it. Compilation in another process starts again.

        Parameters
        ----------
        kind : {"jaxpr", "stablehlo", "hlo"}
            The traced program, the lowered one, or the one that XLA optimized for one device.
        on_progress : callable, optional
            Called twice a second with the current step (`compiling`) and the seconds since the
            start. By default a step is printed on standard error after 5 seconds.

        Returns
        -------
        Stage
            Its graphs, text, cost (flops and bytes) and memory (bytes). If JAX or XLA refuses the
            program, its `error` is the reason, and another request tries again.

        Raises
        ------
        ValueError
            For an unknown kind, and if the program was loaded from a file without this stage.
        """
        return self._stages.stage(kind, on_progress)

    def profile(self, repeats: int = 10, *, peak: AskedPeak = None) -> Callable[..., Profile]:
        """Measure the time of each instruction, and of each line of your code.

        Does what `jaxviz.profile` does, but does not trace the call again: it compiles the captured
        program, and runs it with these arguments. This is possible as long as stages can be made.

        Parameters
        ----------
        repeats : int, optional
            The number of runs under the profiler, at least 2.
        peak : (float, float) or "measured", optional
            The most flops and bytes of the machine in a second, with which the rates of
            instructions are compared; "measured" measures it first.

        Returns
        -------
        callable
            Takes arguments like those of the captured call, and returns a `Profile`.

        Raises
        ------
        ValueError
            If `repeats` is less than 2, and for an invalid `peak`.
        CaptureError
            When the callable is called: for the reasons of `jaxviz.profile`; if the arguments have
            other types than those of the captured call, or other fixed values; and if the program
            can no longer be run, such as a loaded one.

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
        """Report statistics of the values that its eqns compute from these arguments.

        Does what `jaxviz.statistics` does, but does not trace the call again.

        Raises
        ------
        CaptureError
            For the reasons of the callable of `profile`.

        Examples
        --------
        >>> import jax.numpy as jnp, jaxviz
        >>> program = jaxviz.inspect(lambda x: jnp.exp(x) - 1.0)(jnp.zeros(2))
        >>> [(row.op, row.inf) for row in program.statistics(jnp.array([0.0, 100.0])).rows]
        [('exp', 1), ('sub', 1)]
        """
        return TOOLS["statistics"](self)(*args, **kwargs)

    def save(self, path: str | Path) -> None:
        """Write the program to a file, in the form that its suffix names.

        Parameters
        ----------
        path : str or Path
            `load` reads `.json`. `.svg` is the picture, and `.png` the picture as a bitmap (with
            `pip install 'jupyterlab-jaxviz[png]'`). `.html` is the view as a page that needs no
            network, with the stages that were made so far. `.jaxpr`, `.mlir` (StableHLO) and `.hlo`
            are the text of that stage, which is made if needed. `.dot` is the graph for Graphviz:
            `dot -Tpdf f.dot -o f.pdf` draws it.

        Raises
        ------
        ValueError
            For another suffix; for a stage that JAX or XLA refuses, with the reason; for a picture
            of a program without a graph; and if quickjs-ng, which draws pictures, is missing or
            fails.
        ImportError
            For `.png` if resvg, which makes the bitmap, is not installed.
        FileNotFoundError
            For `.html` if the widget's script was not built.
        """
        save(ToSave(self._stages, self._opening), path, FORMS)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse arguments: a program belongs to one call, and `inspect(lowered)` takes none."""
        raise CaptureError(
            f"{self.name} is a program already, and takes no arguments: what JAX made of a call is "
            "shown as it is."
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._captured == other._captured

    def __hash__(self) -> int:
        return hash((self.name, self._stages.head.jax))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the record. The unpickled program is like one that `jaxviz.load` reads."""
        return unpickled, (msgspec.json.encode(self.record),)

    def __repr__(self) -> str:
        return f"<jaxviz.Program {self.name}: {eqns_of(first_made(self._captured))}>"


def encoded_program(text: str) -> schema.Program:
    """Read a program in a report, encoded like `Display.program`.

    Raises ValueError if it is damaged.
    """
    record = decode(b64decode(text))
    fault = first_fault(record)
    if fault is not None:
        raise ValueError(fault)
    return record


def checked_program(argument: str, program: Any) -> Program:
    """Give the value of an argument. Raises TypeError if it is not a program."""
    if not isinstance(program, Program):
        raise TypeError(
            f"{argument} must be a jaxviz.Program, as jaxviz.inspect(function)(*args) gives it, "
            f"not {type(program).__name__}."
        )
    return program


def unpickled(text: bytes) -> Program:
    """Read a pickled program."""
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

    It has no costs: costs omit eqns that no result needs, and its results are not known.
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
