"""Writes a program, a report, or a log to a file, in the form of the file's suffix.

`save` writes all files. `FORMS` and `LOG_FORMS` have all forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from jaxviz import schema
from jaxviz.picture.draw import dot, picture, text_picture, timeline
from jaxviz.safety.files import descriptors_needed, write_file
from jaxviz.stages import Stages


class ToSave(NamedTuple):
    """A program, or a report on it."""

    stages: Stages
    opening: schema.Opening
    report: schema.Report | None = None
    text: str = ""
    """The text that `print` shows of the report."""
    is_text: bool = False
    """True if the picture shows this text, not the program."""


LogAndText = tuple[schema.Log, str]
"""A log and its text in `print`. A page shows the text if no script runs."""
Saved = TypeVar("Saved")


def save(saved: Saved, path: str | Path, forms: Mapping[str, Callable[[Saved], bytes]]) -> None:
    """Writes a file in the form that its suffix names.

    Raises ValueError for an unknown suffix, and for a stage that cannot be made.
    """
    form = forms.get(Path(path).suffix.lower())
    if form is None:
        *others, last = forms
        raise ValueError(
            f"cannot save to {str(path)!r}: the file's name must end in "
            f"{', '.join(others)} or {last}."
        )
    with descriptors_needed(f"{str(path)!r} cannot be written"):
        write_file(path, form(saved))


def _text(kind: str, saved: ToSave) -> bytes:
    stage = saved.stages.stage(kind)
    if stage.error is not None:
        raise ValueError(f"there is no {kind} to save: {stage.error}")
    return stage.text.encode() + b"\n"


def _json(saved: ToSave) -> bytes:
    program, report = saved.stages.shown, saved.report
    if report is None:
        return _as_json(program)
    of = schema.SavedReport(version=schema.VERSION, program=program, report=report)
    return _as_json(of)


def _as_json(record: schema.Record) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def _svg(saved: ToSave) -> str:
    if saved.is_text:
        return text_picture(saved.text)
    return picture(saved.stages.opened(saved.opening), saved.opening, saved.report)


def _png(svg: str) -> bytes:
    from jaxviz.export.png import png

    return png(svg)


def _html(saved: ToSave) -> bytes:
    from jaxviz.export.html import html

    stages, opening, report, text, is_text = saved
    return html(stages.opened(opening), opening, report, text, is_text).encode()


def _log_html(saved: LogAndText) -> bytes:
    from jaxviz.export.html import log_html

    return log_html(*saved).encode()


FORMS: dict[str, Callable[[ToSave], bytes]] = {
    ".json": _json,
    ".svg": lambda saved: _svg(saved).encode(),
    ".png": lambda saved: _png(_svg(saved)),
    ".dot": lambda saved: dot(saved.stages.record).encode(),
    ".html": _html,
    ".jaxpr": partial(_text, "jaxpr"),
    ".mlir": partial(_text, "stablehlo"),
    ".hlo": partial(_text, "hlo"),
}
"""The forms of a program and of a report. `opening` chooses what pictures and pages open. They show
the marks of the report."""

LOG_FORMS: dict[str, Callable[[LogAndText], bytes]] = {
    ".json": lambda saved: _as_json(saved[0]),
    ".svg": lambda saved: timeline(saved[0]).encode(),
    ".png": lambda saved: _png(timeline(saved[0])),
    ".html": _log_html,
}
"""The forms of a log."""


class SavedTimeline:
    """A log that is saved as a timeline."""

    __slots__ = ()

    def _shown(self) -> LogAndText:
        raise NotImplementedError

    def save(self, path: str | Path) -> None:
        """Write the log to a file, in the form that its suffix names.

        Parameters
        ----------
        path : str or Path
            `.html` is the timeline as a page that needs no network; `.svg` is its picture, and
            `.png` the picture as a bitmap. `jaxviz.load` reads `.json`. No file contains the
            programs of the traces.

        Raises
        ------
        ValueError
            For another suffix, and for a picture of a log without events.
        ImportError
            For `.png` if resvg, which makes the bitmap, is not installed.
        """
        save(self._shown(), path, LOG_FORMS)
