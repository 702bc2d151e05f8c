"""The base of what each tool reports: how a notebook shows it, and how it is saved and loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from jaxviz import schema
from jaxviz.display.bundle import chosen, whole_bundle
from jaxviz.display.still import preformatted
from jaxviz.displayed import Displayed
from jaxviz.export import FORMS, ToSave, save


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
        text = str(self) if self._is_text else ""
        save(ToSave(of._stages, of.opening, self.record, text), path, FORMS)

    def _bundle(self) -> dict[str, Any]:
        of, text = self._of(), str(self)
        return whole_bundle(of._stages, of.opening, self._in_output(), text, preformatted(text))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return chosen(self._bundle(), include, exclude)
