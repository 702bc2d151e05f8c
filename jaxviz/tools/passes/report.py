"""XLA's passes over a program: `jaxviz.passes`."""

from __future__ import annotations

from typing import Any

from jaxviz import schema
from jaxviz.compare import Comparison
from jaxviz.displayed import Report
from jaxviz.program import Program, checked_program
from jaxviz.schema import first_made
from jaxviz.tools.passes.record import Pass
from jaxviz.tools.passes.record import Passes as PassesRecord
from jaxviz.tools.passes.stages import PassStages, passes_of, title


class Passes(Report):
    """The passes of XLA that changed a program, in their order; `passes(program)` gives them.

    As the last value of a cell it is the program with the list; `print` gives the list, and `save`
    writes it to a file. Passes are numbered from 1. It contains only strings and numbers.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.passes(jaxviz.inspect(lambda x: jnp.sin(x[::-1][::-1]))(jnp.ones(3)))
    >>> [row["pass"] for row in found.records() if row["gone"]]
    ['algsimp']
    """

    _reads = PassesRecord

    def __init__(
        self, program: Program, record: PassesRecord, stages: PassStages | None = None
    ) -> None:
        self.program = program
        self.record = record
        self._stages = stages
        graphs = first_made(program.record).graphs
        self._ops = [eqn.op for graph in graphs for eqn in graph.eqns]

    @property
    def rows(self) -> tuple[Pass, ...]:
        """The passes, each with its changes. `gone` has the eqns, by number, after which no
        instruction is named from there on: the pass folded, removed or renamed it."""
        return tuple(self.record.passes)

    def stage(self, number: int) -> schema.Stage:
        """Give the program after a pass; 0 means before the first. Raises ValueError if there is no
        such pass."""
        return self._after().stage(number)

    def compare(self, number: int) -> Comparison:
        """Give the changes of a pass, as one picture. Raises ValueError if there is no such
        pass."""
        return Comparison(self._after().compared(number))

    def _after(self) -> PassStages:
        if self._stages is None:
            raise ValueError(
                "the programs after the passes are not in the file that this was loaded from: "
                "capture the call again, and ask for its passes."
            )
        return self._stages

    @classmethod
    def _loaded(cls, program: Program, record: PassesRecord) -> Passes:
        return cls(program, record)

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each pass, for `pandas.DataFrame`."""
        return [
            {
                "number": number,
                "pipeline": one.pipeline,
                "pass": one.name,
                "instructions": one.instructions,
                "ops": {count.op: count.after - count.before for count in one.ops},
                "gone": [*one.gone],
            }
            for number, one in enumerate(self.rows, 1)
        ]

    def __str__(self) -> str:
        before = self.record.before
        head = f"{self.program.name}: {len(self.rows)} passes of XLA changed it"
        unnamed = self._ops_of(self.record.unnamed)
        lines = [head, f"     {before:>6,} instructions before the first{unnamed}"]
        for number, one in enumerate(self.rows, 1):
            lines.append(f"{number:>4} {one.instructions:>6,} {title(one)}{self._ops_of(one.gone)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _ops_of(self, eqns: list[int]) -> str:
        """The primitives of eqns after which no instruction is named from there on."""
        ops = [self._ops[number] for number in eqns[:MOST_NAMED]]
        more = f" and {len(eqns) - MOST_NAMED} more" if len(eqns) > MOST_NAMED else ""
        return f"  (folded, removed or renamed: {', '.join(ops)}{more})" if ops else ""


MOST_NAMED = 6


def passes(program: Program, *, constants: bool = False) -> Passes:
    """Report the changes of each XLA pass to a program, and give the program after any of them.

    XLA compiles the program once more, with its eqns numbered. It writes the program to a private
    temporary folder after each pass that changed it. The folder is removed as soon as XLA has
    compiled. These files contain the program's constants.

    Parameters
    ----------
    program : Program
        A result of `jaxviz.inspect`.
    constants : bool, optional
        True to allow XLA to write more than 1 KiB of arrays that the function closes over.

    Returns
    -------
    Passes
        The passes in order. The program after the last one is the stage `hlo`.

    Raises
    ------
    ValueError
        If JAX or XLA refuses the program, if more than 1 KiB of constants would be written, for
        a program without jaxpr, and for one that was loaded from a file.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.passes(jaxviz.inspect(jnp.sin)(1.0))
    >>> found.stage(len(found.rows)).text == found.program.stage("hlo").text
    True
    """
    size = checked_program("program", program)._stages.constants_written()
    if size is not None and not constants:
        raise ValueError(
            f"XLA would write {size:,} bytes of the program's constants to a private folder until "
            "it has compiled: allow it with constants=True."
        )
    stages = passes_of(program._stages).wait()
    return Passes(program, stages.record, stages)
