"""What it takes to try a mend: the text of the code, the function that was called, and the types of
what it was called with. Neither the function, its namespace, a model nor an array is kept by it."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from functools import partial
from types import FunctionType, TracebackType
from typing import NamedTuple
from weakref import ref

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.kept_call import Call, KeptCall, kept_call
from jaxviz.capture.failure._recorded import Called
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.source import cell_of
from jaxviz.schema import Mend

GONE = "The function that failed is gone: run the cell again."
FILE = "<the mended code>"


class Trial(NamedTuple):
    """What it takes to try the mends of an error."""

    code: str
    """The cell or file, which defines the function."""
    function: Callable[[], FunctionType | None]
    """The function that failed, as long as it is there."""
    name: str
    call: KeptCall


Attempt = Callable[[], Call]
"""Defines a mended function anew, in a copy of its namespace, and gives its call. Raises
ValueError, with a sentence, where the function is gone."""


def attempt(trial: Trial | None, edit: Mend) -> Attempt | None:
    """What it takes to try a mend; None where it changes anything but functions: nothing else of
    the code is run."""
    for node in _functions(trial.code) if trial else ():
        if trial and _first(node) <= edit.first and edit.last <= (node.end_lineno or 0):
            return partial(_mended, trial, edit)
    return None


def _mended(trial: Trial, edit: Mend) -> Call:
    function = trial.function()
    if function is None:
        raise ValueError(GONE)
    before = trial.code.splitlines()
    blank = cell_of(function.__code__.co_filename).offset * [""]
    text = "\n".join([*blank, *before[: edit.first - 1], *edit.lines, *before[edit.last :]]) + "\n"
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    space = {**function.__globals__}
    module = ast.Module([*_functions(text)], [])
    exec(compile(module, FILE, "exec", dont_inherit=True), space)
    fun = space[trial.name]
    call = trial.call.of(fun)
    return call._replace(statics={}) if is_jitted(fun) else call


def trial_of(called: Called | None, at: TracebackType) -> Trial | None:
    """What it takes to try mends of the code that failed; None where that is not known, or where
    the function has arguments that are neither arrays, plain values nor pytrees of these."""
    if called is None or not is_a(called.fun, FunctionType):
        return None
    file = called.fun.__code__.co_filename
    if file != at.tb_frame.f_code.co_filename:
        return None
    code = "".join(linecache.getlines(file))
    if called.fun.__name__ not in [node.name for node in _functions(code)]:
        return None
    call = kept_call(called.args, called.kwargs, called.statics)
    if call is None:
        return None
    return Trial(code, ref(called.fun), called.fun.__name__, call)


def _functions(code: str) -> list[ast.FunctionDef]:
    """The functions that stand for themselves in some code."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return []
    return [node for node in body if isinstance(node, ast.FunctionDef)]


def _first(node: ast.FunctionDef) -> int:
    """The first line of a function, that of its decorators."""
    return min(part.lineno for part in (node, *node.decorator_list))
