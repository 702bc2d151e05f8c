"""Two captured programs, and how they differ, as the user holds them."""

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
"""Suffixes that `Comparison.save` refuses: two programs are compared by their jaxprs alone."""


class Comparison(Displayed):
    """What was added, removed and changed from one program to another: strings and numbers only.

    `compare` makes one. It is immutable. As the last value of a cell it is one picture of both;
    `print` gives the differences, a line each.

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
        """Both programs as one, as it is saved and sent: those eqns that match once."""
        return self._stages.record

    @property
    def _compared(self) -> schema.Compared:
        found = self.record.compared
        assert found is not None
        return found

    @property
    def same(self) -> bool | None:
        """True if both are the same program. Names of variables do not count.

        None if nothing differs, but values of arrays that they close over were not compared.
        """
        if self.marks or self.inputs:
            return False
        return None if self.not_compared else True

    @property
    def not_compared(self) -> list[str]:
        """The arrays that both programs close over whose values were not compared.

        Values are compared within one kernel, of arrays of at most 16 MiB in all. A program that
        was saved, pickled or is of a log has none.
        """
        return list(self._compared.unknown)

    @property
    def inputs(self) -> list[schema.Change]:
        """How the inputs and the results differ, by the user's paths."""
        return list(self._compared.inputs)

    @property
    def marks(self) -> list[schema.Mark]:
        """The eqns that differ, in their order, each by its number in all graphs of `record`."""
        return list(self._compared.marks)

    def save(self, path: str | Path) -> None:
        """Write the comparison to a file, in the form its suffix names.

        Parameters
        ----------
        path : str or Path
            Ends as in `Program.save`, but not in `.mlir` or `.hlo`. `load` reads the `.json` as a
            program that shows the same.

        Raises
        ------
        ValueError
            For another suffix: two programs are compared by their jaxprs alone.
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
    """Give the comparison that was pickled as this record."""
    return Comparison(read(text, schema.Program))


def compare(before: Program, after: Program) -> Comparison:
    """Compare two programs: what was added, removed and changed from one to the other.

    Use it if a function is retraced and you want to know what became of its program, or to
    see what a change of yours did. Eqns are matched by what they compute, in bodies too, never by
    what variables are called. Of arrays that both close over the values are compared too, if this
    kernel holds them: whether they are equal is all that is kept of them.

    Parameters
    ----------
    before, after : Program
        As `inspect`, `load` or `Log.program` give them. Their jaxprs are compared.

    Returns
    -------
    Comparison
        As the last value of a cell it is one picture of both.

    Raises
    ------
    TypeError
        For anything but two programs.
    ValueError
        For a program that is a comparison itself, or has no jaxpr.

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
