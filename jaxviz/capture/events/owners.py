"""Reads whether a traced function is the reader's or a library's, by the rule that
`analysis/retraces/owners.py` states."""

from __future__ import annotations

import inspect
import sys
from types import FrameType
from typing import Any

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.libraries import is_filter_jitted, is_wrapper
from jaxviz.capture.events.functions import into
from jaxviz.capture.shown.objects import attribute
from jaxviz.capture.shown.source import file_kind, line_number
from jaxviz.schema.signature import Function


def owned(function: Function, fun: Any, frame: FrameType | None) -> Function:
    """The function with its owner. `fun` is the object, `frame` where it was called; None if that
    is not known.

    A library's function that the reader jitted gets the line of the reader's that calls it in place
    of its own. So does one that the library jitted when it was imported: as it serves all callers,
    calls of different lines are not compared.
    """
    if file_kind(function.file) != "installed":
        return function
    line, is_direct = _reader_line(frame)
    is_shared = _is_jitted_at_import(fun)
    library = "" if is_direct and not is_shared else "called" if is_direct else "inner"
    function = function._replace(library=library)
    if line is None or not (is_direct or is_shared):
        return function
    return function._replace(file=line.f_code.co_filename, line=line_number(line))


def _reader_line(frame: FrameType | None) -> tuple[FrameType | None, bool]:
    """The reader's innermost frame, and whether no frame of a library is within it, except those of
    known wrappers."""
    is_direct = True
    while frame is not None:
        kind = file_kind(frame.f_code.co_filename)
        if kind == "own":
            return frame, is_direct
        if kind == "installed" and not is_wrapper(frame.f_globals.get("__name__")):
            is_direct = False
        frame = frame.f_back
    return None, False


def _is_jitted_at_import(fun: Any) -> bool:
    """Whether the function is known in its module by a jitted function around it, as a decorator
    makes one."""
    layers = [fun]
    into(layers, [])
    path = attribute(layers[-1], "__qualname__", "")
    known: Any = sys.modules.get(attribute(layers[-1], "__module__") or "")
    for part in path.split("."):
        known = inspect.getattr_static(known, part, None)
    around = [known]
    into(around, [])
    return any(is_jitted(layer) or is_filter_jitted(layer) for layer in around)
