"""Compares two captured programs: `compare`, and the `Comparison` that it returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.display.text.summary import headline
from jaxviz.displayed import Displayed
from jaxviz.export import FORMS, ToSave, save
from jaxviz.program import Program, checked_program
from jaxviz.schema.upgrade import read
from jaxviz.stages import Stages

FORMS_OF_LATER_STAGES = (".mlir", ".hlo")
"""Suffixes that `Comparison.save` refuses, since only jaxprs are compared."""


class Comparison(Displayed):
    """The differences between two programs: what was added, removed and changed.

    `compare` makes one. It consists of strings and numbers, and is immutable. As the last value of
    a cell it is one picture of both programs; `print` gives a line for each difference.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> before = jaxviz.inspect(lambda x: jnp.tanh(x) * 2.0)(jnp.ones(3))
    >>> after = jaxviz.inspect(lambda x: jnp.tanh(x) * 2.0)(jnp.ones(4))
    >>> comparison = jaxviz.compare(before, after)
    >>> [(change.where, change.before, change.after) for change in comparison.inputs]
    [('x', 'f32[3]', 'f32[4]'), ('result', 'f32[3]', 'f32[4]')]
    """

    __slots__ = ()

    def __init__(self, record: schema.Program) -> None:
        super().__init__(Stages(record, None))

    @property
    def record(self) -> schema.Program:
        """Both programs as one record, in which matching eqns appear once."""
        return self._stages.record

    @property
    def _compared(self) -> schema.Compared:
        found = self.record.compared
        assert found is not None
        return found

    @property
    def same(self) -> bool | None:
        """True if both are the same program. Names of variables do not count.

        None if nothing differs, but values of closed-over arrays were not compared.
        """
        if self.marks or self.inputs:
            return False
        return None if self.not_compared else True

    @property
    def not_compared(self) -> list[str]:
        """The closed-over arrays of both programs whose values were not compared.

        Values are compared only within one kernel, for at most 16 MiB of arrays. A program that was
        saved or pickled, or that is from a log, has no values.
        """
        return list(self._compared.unknown)

    @property
    def inputs(self) -> list[schema.Change]:
        """The differences between inputs and between results, by the user's paths."""
        return list(self._compared.inputs)

    @property
    def marks(self) -> list[schema.Mark]:
        """The eqns that differ, in order, each by its number in all graphs of `record`."""
        return list(self._compared.marks)

    def save(self, path: str | Path) -> None:
        """Write the comparison to a file, in the form that its suffix names.

        Parameters
        ----------
        path : str or Path
            Any suffix of `Program.save` except `.mlir` and `.hlo`, since only jaxprs are compared.
            `load` reads `.json` as a program with the same picture.

        Raises
        ------
        ValueError
            For another suffix.
        """
        if Path(path).suffix.lower() in FORMS_OF_LATER_STAGES:
            forms = ", ".join(form for form in FORMS if form not in FORMS_OF_LATER_STAGES)
            raise ValueError(
                f"cannot save to {str(path)!r}: two programs are compared by their jaxprs "
                f"alone; save it as one of {forms}."
            )
        save(ToSave(self._stages, self._opening), path, FORMS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self.record == other.record

    def __hash__(self) -> int:
        return hash((self._compared.before, self._compared.after, len(self.marks)))

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickled, (msgspec.json.encode(self.record),)

    def __repr__(self) -> str:
        return f"<jaxviz.Comparison {headline(self.record)}>"


def unpickled(text: bytes) -> Comparison:
    """Read a pickled comparison."""
    return Comparison(read(text, schema.Program))


def compare(before: Program, after: Program) -> Comparison:
    """Compare two programs: what was added, removed and changed from one to the other.

    Use it to see how a retrace, or a change in your code, changed the program. Eqns are matched by
    their operations and operands, also in bodies, and never by names of variables. Values of
    closed-over arrays are compared, too, if this kernel has them. Only the result is stored.

    Parameters
    ----------
    before, after : Program
        Programs of `inspect`, `load` or `Log.program`. Their jaxprs are compared.

    Returns
    -------
    Comparison
        As the last value of a cell it is one picture of both.

    Raises
    ------
    TypeError
        If an argument is not a program.
    ValueError
        If a program is a comparison itself, or has no jaxpr.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> before = jaxviz.inspect(lambda x: jnp.tanh(x) * 2.0)(1.0)
    >>> after = jaxviz.inspect(lambda x: jnp.sin(x) * 2.0)(1.0)
    >>> jaxviz.compare(before, after).same
    False
    >>> jaxviz.compare(before, before).same
    True
    """
    for name, program in (("before", before), ("after", after)):
        checked_program(name, program)
        if program.record.compared is not None:
            raise ValueError(f"{name} is a comparison already: compare two programs that are none.")
        if program.record.stages[0].error is not None:
            raise ValueError(
                f"{name} has no jaxpr, and jaxprs are what is compared: "
                f"{program.record.stages[0].error}"
            )
    values = before._stages.constants(), after._stages.constants()
    return Comparison(compare_programs(before.record, after.record, values))
