"""The call of a cell that failed, to be made once more as it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import partial
from types import FrameType, ModuleType
from typing import Any

from jaxviz.capture.calls.kept_call import Call
from jaxviz.capture.calls.written_call import evaluate
from jaxviz.capture.failure.attempt import Attempt
from jaxviz.capture.failure.failed_expression import entries, expression_at
from jaxviz.capture.shown.objects import is_a, title_of, traceback_of
from jaxviz.capture.shown.source import is_cell

_DOES_MORE = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
GONE = "This call cannot be evaluated any more ({}): run the cell again."


def calls_of_cells(error: BaseException) -> Iterator[tuple[FrameType, ast.Call, ast.stmt]]:
    """The calls of cells that led to an error, each with the statement that it stands in."""
    for entry in entries(traceback_of(error)):
        code = entry.tb_frame.f_code
        if is_cell(code.co_filename) and code.co_name == "<module>":
            match expression_at(code, entry.tb_lasti).nodes:
                case [ast.Call() as called, *around]:
                    statement = next(part for part in around if isinstance(part, ast.stmt))
                    yield entry.tb_frame, called, statement


def same_call(error: BaseException) -> Attempt | None:
    """What it takes to evaluate the function and arguments of such a call again, with what its
    names stand for then; None where that would do more, as `next(batches)` would. It keeps the
    notebook's namespace, and no array."""
    for frame, called, _ in calls_of_cells(error):
        if _only_names(called, frame.f_globals):
            return partial(_again, called, frame.f_globals)
    return None


def _again(called: ast.Call, names: dict[str, Any]) -> Call:
    try:
        return Call(*evaluate(called, names, None), {})
    except Exception as error:
        raise ValueError(GONE.format(title_of(type(error)))) from None


def _only_names(called: ast.Call, names: Mapping[str, Any]) -> bool:
    """Whether to evaluate its function and arguments calls nothing but JAX."""
    parts = [part for part in ast.walk(called) if part is not called]
    calls = [part for part in parts if isinstance(part, ast.Call)]
    more = any(isinstance(part, _DOES_MORE) for part in parts)
    return not more and all(_is_of_jax(call.func, names) for call in calls)


def _is_of_jax(function: ast.expr, names: Mapping[str, Any]) -> bool:
    while isinstance(function, ast.Attribute):
        function = function.value
    module = names.get(function.id) if isinstance(function, ast.Name) else None
    return is_a(module, ModuleType) and module.__name__.split(".")[0] == "jax"
