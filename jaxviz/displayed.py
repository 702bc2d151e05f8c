"""The base classes of programs and comparisons (`Displayed`), and of tools' reports (`Report`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from jaxviz import schema
from jaxviz.display.bundle import (
    as_widget,
    chosen,
    findings_bundle,
    mimebundle,
    preformatted,
    whole_bundle,
)
from jaxviz.display.text.summary import finding_lines, findings_title, summary
from jaxviz.export import FORMS, ToSave, save
from jaxviz.schema.opening import chosen as opening_of
from jaxviz.stages import AddMeasurements, MeasurePart, Stages


class Displayed:
    """A program or a comparison, which a notebook and `print` show."""

    __slots__ = ("__weakref__", "_opening", "_stages")

    _opening: schema.Opening
    _stages: Stages

    def __init__(self, stages: Stages, opening: schema.Opening = schema.UNCHOSEN) -> None:
        object.__setattr__(self, "_stages", stages)
        object.__setattr__(self, "_opening", opening)

    def _with_measurements(self, add: AddMeasurements, part: MeasurePart | None = None) -> Self:
        """Return a copy with a run's measurements of its stages, and of parts on request."""
        return self._with(self._stages.with_measurements(add, part), self._opening)

    def _with(self, stages: Stages, opening: schema.Opening) -> Self:
        other = object.__new__(type(self))
        Displayed.__init__(other, stages, opening)
        return other

    @property
    def opening(self) -> schema.Opening:
        """The choices of `opened` for the first view."""
        return self._opening

    def opened(
        self,
        *,
        stage: str | None = None,
        depth: int | None = None,
        boxes: int | None = None,
        colours: str | None = None,
        memory: float | str | None = None,
    ) -> Self:
        """Choose the first view in a notebook, and in saved pictures and pages.

        The reader's preferences decide what is not given here.

        Parameters
        ----------
        stage : {"jaxpr", "stablehlo", "hlo"}, optional
            The stage to show first.
        depth : int, optional
            The levels of groups, loops and calls that are open: 1 opens the outermost ones, 0 none.
        boxes : int, optional
            The most boxes that show.
        colours : {"family", "dtype", "scope", "flops", "bytes"}, optional
            The meaning of the boxes' colours.
        memory : float or str, optional
            The memory of a device in GiB, or with its unit ("600MiB"). The view of HLO then shows
            whether the program fits, by XLA's estimate for the compiler that made this HLO.

        Returns
        -------
        Program or Comparison
            A copy with this choice.

        Raises
        ------
        ValueError
            With one sentence, for an invalid value.

        Examples
        --------
        >>> import jax.numpy as jnp, jaxviz
        >>> jaxviz.inspect(jnp.sin)(1.0).opened(depth=1).opening.depth
        1
        """
        choices = {"stage": stage, "depth": depth, "boxes": boxes, "colours": colours}
        return self._with(self._stages, opening_of({**choices, "memory": memory}))

    def __str__(self) -> str:
        return summary(self._stages.shown, self._opening.memory)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return mimebundle(self._stages, self._opening, include, exclude)

    def _display_(self) -> Any:
        """Give the widget that marimo shows (its display protocol)."""
        return as_widget(self._stages, self._opening)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be deleted.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Findings(list[schema.Finding]):
    """The findings of a program or a log, notes last.

    As the last value of a cell it is a short list, which leads to the lines and the help pages.
    """

    def __str__(self) -> str:
        return "\n".join([findings_title(self), *finding_lines(self)])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return chosen(findings_bundle(self, str(self)), include, exclude)


class Report:
    """A tool's report on a program.

    As the last value of a cell it is a view, and `print` writes it as text. `save` writes it to a
    file that `jaxviz.load` reads.
    """

    __slots__ = ()

    _reads: ClassVar[type[Any]]
    """The class of the record that `_loaded` takes."""
    _is_text: ClassVar[bool] = False
    """True if a saved picture shows the text, not the program."""

    record: Any
    """The whole report, one of `schema.Report`."""

    @classmethod
    def _loaded(cls, program: Any, record: Any) -> Report:
        """Give the report of a saved `record` and the program that was saved with it."""
        raise NotImplementedError

    def _of(self) -> Displayed:
        """Give the program that the report is on."""
        return getattr(self, "program")  # noqa: B009 - each report declares its type

    def _in_output(self) -> schema.Report:
        """Give the part of the record that a notebook's output contains."""
        return self.record

    def save(self, path: str | Path) -> None:
        """Write the report to a file, in the form that its suffix names.

        Parameters
        ----------
        path : str or Path
            `.json` is the whole report, which `jaxviz.load` reads. `.html` is the view as a page
            that needs no network, with the whole report. `.svg` is the picture of the program with
            the report's marks, and `.png` the picture as a bitmap (with
            `pip install 'jupyterlab-jaxviz[png]'`). For `timeit`, `explain` and `agree` both show
            the text of `print`. All other forms are those of `Program.save`.

        Raises
        ------
        ValueError
            For another suffix, and for the reasons of `Program.save`.
        ImportError, FileNotFoundError
            For the reasons of `Program.save`.
        """
        of = self._of()
        shown = ToSave(of._stages, of.opening, self.record, str(self), self._is_text)
        save(shown, path, FORMS)

    def _bundle(self) -> dict[str, Any]:
        of, text = self._of(), str(self)
        return whole_bundle(of._stages, of.opening, self._in_output(), text, preformatted(text))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return chosen(self._bundle(), include, exclude)
