"""What it takes to try a mend: the text of the code, the function that was called, and the types of
what it was called with. Neither the function, its namespace, a model nor an array is kept by it."""

from __future__ import annotations

import ast
import linecache
import weakref
from collections.abc import Callable
from functools import partial
from types import FunctionType, NoneType, TracebackType
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.tree_util import all_leaves

from jaxviz.capture.called_function import is_jitted
from jaxviz.capture.failure._recorded import Called
from jaxviz.capture.source import cell_of
from jaxviz.schema import Mend

GONE = "The function that failed is gone: run the cell again."
ARGUMENT_GONE = "An argument of the call that failed is gone: run the cell again."
FILE = "<the mended code>"


class Call(NamedTuple):
    """A call with types in place of arrays; as a trial keeps it, with weak references in place of
    models, too."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`, where they stand apart from the function."""


class Trial(NamedTuple):
    """What it takes to try the mends of an error."""

    code: str
    """The cell or file, which defines the function."""
    function: Callable[[], FunctionType | None]
    """The function that failed, as long as it is there."""
    name: str
    call: Call
    """Without the function."""


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
    args, kwargs = _each(_there, (trial.call.args, trial.call.kwargs))
    return Call(fun, args, kwargs, {} if is_jitted(fun) else trial.call.statics)


def trial_of(called: Called | None, at: TracebackType) -> Trial | None:
    """What it takes to try mends of the code that failed; None where that is not known, or where
    the function has arguments that are neither arrays, plain values nor pytrees of these."""
    if called is None or not isinstance(called.fun, FunctionType):
        return None
    file = called.fun.__code__.co_filename
    if file != at.tb_frame.f_code.co_filename:
        return None
    code = "".join(linecache.getlines(file))
    if called.fun.__name__ not in [node.name for node in _functions(code)]:
        return None
    try:
        args, kwargs = _each(_typed, (called.args, called.kwargs))
    except TypeError:
        return None
    call = Call(None, args, kwargs, called.statics)
    return Trial(code, weakref.ref(called.fun), called.fun.__name__, call)


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


def _typed(value: Any) -> Any:
    """What is kept of an argument: the type of an array, a plain value, a weak reference to a
    pytree of another kind, such as a model. Raises TypeError for anything else."""
    if type(value) in (bool, int, float, complex, str):
        return value
    if isinstance(value, jax.Array | np.ndarray | np.generic):
        aval = jax.typeof(value)
        weak = bool(getattr(aval, "weak_type", False))
        return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=weak)
    if all_leaves([value]):
        raise TypeError
    return weakref.ref(value)


def _there(kept: Any) -> Any:
    """An argument to trace with. Raises ValueError where it is an object that is gone."""
    value = kept() if isinstance(kept, weakref.ref) else kept
    if value is None:
        raise ValueError(ARGUMENT_GONE)
    return value


def _each(one: Callable[[Any], Any], arguments: Any) -> Any:
    """Arguments with `one` of each part of their tuples, lists and dicts in its place."""
    parts = (tuple, list, dict, NoneType)
    return jax.tree.map(one, arguments, is_leaf=lambda value: not isinstance(value, parts))
