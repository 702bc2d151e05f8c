"""Tries a fix: with the text of the code, the function that was called, and the types of its
arguments; or evaluates the call of a cell again. It keeps no function, model or array alive."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import Any, NamedTuple
from weakref import ref

from jaxviz.capture.calls.call_to_trace import CallToTrace, RetainedCall, retained_call
from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.evaluate import evaluate
from jaxviz.capture.failure._frames import TracedCall
from jaxviz.capture.failure.expression import entries, nodes_at
from jaxviz.capture.shown.objects import is_a, title_of, traceback_of
from jaxviz.capture.shown.source import cell_of, is_cell
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

FILE = "<the fixed code>"


class Trial(NamedTuple):
    """The parts that are needed to try the fixes of an error."""

    code: str
    """The cell or file, which defines the function."""
    function: Callable[[], FunctionType | None]
    """The function that failed, while it exists."""
    name: str
    call: RetainedCall


Attempt = Callable[[], CallToTrace]
"""Defines the fixed function in a copy of its namespace, and returns its call. Raises ValueError
with a sentence if the function is gone."""


def attempt(trial: Trial | None, edit: Fix) -> Attempt | None:
    """The attempt of a fix; None unless it changes only functions: no other code of the file
    runs."""
    for node in _functions(trial.code) if trial else ():
        if trial and _first(node) <= edit.first and edit.last <= (node.end_lineno or 0):
            return partial(_fixed, trial, edit)
    return None


def _fixed(trial: Trial, edit: Fix) -> CallToTrace:
    function = trial.function()
    if function is None:
        raise ValueError(sentence("failed function gone"))
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


def trial_of(called: TracedCall | None, at: TracebackType) -> Trial | None:
    """The parts to try fixes with; None if they are unknown, or if the function has arguments other
    than arrays, plain values and pytrees of these."""
    if called is None or not is_a(called.fun, FunctionType):
        return None
    file = called.fun.__code__.co_filename
    if file != at.tb_frame.f_code.co_filename:
        return None
    code = "".join(linecache.getlines(file))
    if called.fun.__name__ not in [node.name for node in _functions(code)]:
        return None
    call = retained_call(called.args, called.kwargs, called.statics)
    if call is None:
        return None
    return Trial(code, ref(called.fun), called.fun.__name__, call)


def _functions(code: str) -> list[ast.FunctionDef]:
    """The functions at the top level of some code."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return []
    return [node for node in body if isinstance(node, ast.FunctionDef)]


def _first(node: ast.FunctionDef) -> int:
    """The first line of a function, that of its decorators."""
    return min(part.lineno for part in (node, *node.decorator_list))


_DOES_MORE = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom


def calls_of_cells(error: BaseException) -> Iterator[tuple[FrameType, ast.Call, ast.stmt]]:
    """The calls of cells that led to an error, each with its statement."""
    for entry in entries(traceback_of(error)):
        code = entry.tb_frame.f_code
        if is_cell(code.co_filename) and code.co_name == "<module>":
            match nodes_at(code, entry.tb_lasti):
                case [ast.Call() as called, *around]:
                    statement = next(part for part in around if isinstance(part, ast.stmt))
                    yield entry.tb_frame, called, statement


def same_call(error: BaseException) -> Attempt | None:
    """Evaluates the function and arguments of such a call again, with the values of its names at
    that time; None if that has other effects, such as `next(batches)`. It refers to the notebook's
    namespace, and to no array."""
    for frame, called, _ in calls_of_cells(error):
        if _only_names(called, frame.f_globals):
            return partial(_again, called, frame.f_globals)
    return None


def _again(called: ast.Call, names: dict[str, Any]) -> CallToTrace:
    try:
        return CallToTrace(*evaluate(called, names, None), {})
    except Exception as error:
        raise ValueError(sentence("call gone", error=title_of(type(error)))) from None


def _only_names(called: ast.Call, names: Mapping[str, Any]) -> bool:
    """True if its function and arguments call nothing but JAX."""
    parts = [part for part in ast.walk(called) if part is not called]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    more = any(isinstance(part, _DOES_MORE) for part in parts)
    return not more and all(_is_of_jax(call.func, names) for call in calls)


def _is_of_jax(function: ast.expr, names: Mapping[str, Any]) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    module = names.get(function.id) if isinstance(function, ast.Name) else None
    return is_a(module, ModuleType) and module.__name__.split(".")[0] == "jax"
