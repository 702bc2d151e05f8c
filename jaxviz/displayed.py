"""The bases of what users get: of programs and comparisons, and of what tools report on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from jaxviz import schema
from jaxviz.display.bundle import as_widget, chosen, mimebundle, preformatted, whole_bundle
from jaxviz.display.text.summary import summary
from jaxviz.export import FORMS, ToSave, save
from jaxviz.schema.opening import chosen as opening_of
from jaxviz.stages import AddMeasurements, MeasurePart, Stages


class Displayed:
    """A program or a comparison, as the last value of a cell or in `print`."""

    __slots__ = ("__weakref__", "_opening", "_stages")

    _opening: schema.Opening
    _stages: Stages

    def __init__(self, stages: Stages, opening: schema.Opening = schema.UNCHOSEN) -> None:
        object.__setattr__(self, "_stages", stages)
        object.__setattr__(self, "_opening", opening)

    def _ran(self, add: AddMeasurements, part: MeasurePart | None = None) -> Self:
        """Give the same with what a run told of its stages, and what tells more of a part."""
        return self._with(self._stages.ran(add, part), self._opening)

    def _with(self, stages: Stages, opening: schema.Opening) -> Self:
        other = object.__new__(type(self))
        Displayed.__init__(other, stages, opening)
        return other

    @property
    def opening(self) -> schema.Opening:
        """How it opens, as far as that was chosen with `opened`."""
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
        """Choose what is seen first, in a notebook and in the pictures and pages that are saved.

        What is left out is as the reader prefers.

        Parameters
        ----------
        stage : {"jaxpr", "stablehlo", "hlo"}, optional
            The one to show first.
        depth : int, optional
            How many levels of groups, loops and calls are open: 1 opens those that are seen
            first, 0 none.
        boxes : int, optional
            At most so many boxes show.
        colours : {"family", "dtype", "scope", "flops", "bytes"}, optional
            What the colours of the boxes tell.
        memory : float or str, optional
            The memory of a device in GiB, or with its unit ("600MiB"): with HLO there, it is said
            whether the program fits into it, by XLA's estimate for the compiler that made this HLO.

        Returns
        -------
        Program or Comparison
            The same, with that choice.

        Raises
        ------
        ValueError
            With one sentence, for a value that there is not.

        Examples
        --------
        >>> import jax.numpy as jnp, jaxviz
        >>> jaxviz.inspect(jnp.sin)(1.0).opened(depth=1).opening.depth
        1
        """
        given = {"stage": stage, "depth": depth, "boxes": boxes, "colours": colours}
        return self._with(self._stages, opening_of({**given, "memory": memory}))

    def __str__(self) -> str:
        return summary(self._stages.shown, self._opening.memory)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return mimebundle(self._stages, self._opening, include, exclude)

    def _display_(self) -> Any:
        """Give what marimo shows in place of this (its display protocol)."""
        return as_widget(self._stages, self._opening)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be deleted.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Report:
    """What a tool reports on a program.

    As the last value of a cell it is a view, `print` writes it as text, and `save` writes it to a
    file, from which `jaxviz.load` reads it.
    """

    __slots__ = ()

    _reads: ClassVar[type[Any]]
    """The class of the record that `_loaded` takes."""
    _is_text: ClassVar[bool] = False
    """Whether a saved picture is the text, in place of the program."""

    record: Any
    """All that is reported, as it is saved: one of `schema.Report`."""

    @classmethod
    def _loaded(cls, program: Any, record: Any) -> Report:
        """Give the report that was saved as `record`, of a program that was saved with it."""
        raise NotImplementedError

    def _of(self) -> Displayed:
        """Give the program that is shown with it."""
        return getattr(self, "program")  # noqa: B009 - each report says its type

    def _in_output(self) -> schema.Report:
        """Give as much of the record as a notebook's output contains."""
        return self.record

    def save(self, path: str | Path) -> None:
        """Write the report to a file, in the form its suffix names.

        Parameters
        ----------
        path : str or Path
            `.json` is the whole report, which `jaxviz.load` reads; `.html` is the view as a page
            that needs no network, with all of the report. `.svg` is the picture of the program with
            what the report marks in it, and `.png` the same as a bitmap (with
            `pip install 'jupyterlab-jaxviz[png]'`); of `timeit`, `explain` and `agree` both are the
            text that `print` shows. All other forms are those of `Program.save`.

        Raises
        ------
        ValueError
            For another suffix, and as `Program.save` does.
        ImportError, FileNotFoundError
            As `Program.save` does.
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
