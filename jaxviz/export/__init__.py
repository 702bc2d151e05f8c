"""Saves a program or a log as a file. The suffix says in which form: `FORMS` has them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.descriptors import descriptors_needed
from jaxviz.files import write_file
from jaxviz.picture import dot, picture
from jaxviz.stages import Stages

Told = schema.Report | None


def save(stages: Stages, path: str | Path, opening: schema.Opening, report: Told = None) -> None:
    """Writes a program to a file. Pictures and pages open as `opening` says, and show what a tool
    reports.

    Raises ValueError for a suffix that is not known, and for a stage that cannot be made."""
    form = FORMS.get(Path(path).suffix.lower())
    if form is None:
        *known, last = FORMS
        raise ValueError(
            f"cannot save to {str(path)!r}: the file's name must end in "
            f"{', '.join(known)} or {last}."
        )
    with descriptors_needed(f"{str(path)!r} cannot be written"):
        write_file(path, form(stages, opening, report))


def save_log(record: schema.Log, text: str, path: str | Path) -> None:
    """Writes a log as a page, which shows `text` where no script runs. Raises ValueError for any
    suffix but `.html`."""
    if Path(path).suffix.lower() != ".html":
        raise ValueError(f"cannot save to {str(path)!r}: the file's name must end in .html.")
    with descriptors_needed(f"{str(path)!r} cannot be written"):
        from jaxviz.export.html import log_html

        write_file(path, log_html(record, text).encode())


def _text(kind: str, stages: Stages, *_: Any) -> bytes:
    stage = stages.stage(kind)
    if stage.error is not None:
        raise ValueError(f"there is no {kind} to save: {stage.error}")
    return stage.text.encode() + b"\n"


def _json(stages: Stages, *_: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(stages.shown), indent=1) + b"\n"


def _svg(stages: Stages, opening: schema.Opening, report: Told) -> bytes:
    return picture(stages.opened(opening), opening, report).encode()


def _png(stages: Stages, opening: schema.Opening, report: Told) -> bytes:
    from jaxviz.export.png import png

    return png(stages.opened(opening), opening, report)


def _dot(stages: Stages, *_: Any) -> bytes:
    return dot(stages.record).encode()


def _html(stages: Stages, opening: schema.Opening, report: Told) -> bytes:
    from jaxviz.export.html import html

    return html(stages.opened(opening), opening, report).encode()


FORMS: dict[str, Callable[[Stages, schema.Opening, Told], bytes]] = {
    ".json": _json,
    ".svg": _svg,
    ".png": _png,
    ".dot": _dot,
    ".html": _html,
    ".jaxpr": partial(_text, "jaxpr"),
    ".mlir": partial(_text, "stablehlo"),
    ".hlo": partial(_text, "hlo"),
}
