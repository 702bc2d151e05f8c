"""Evaluates the function and the arguments of a call that is given as source text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

CALL_FILE = "<%jaxviz>"
"""The file name of the call in tracebacks and source lines."""


Evaluated = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def evaluate(call: ast.Call, user_ns: dict[str, Any], local_ns: dict[str, Any] | None) -> Evaluated:
    """The function and the arguments of a call, evaluated in Python's order. The call itself is not
    made. Raises what the expressions raise."""
    __tracebackhide__ = True

    def collect(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Evaluated:
        return fun, args, kwargs

    collector = ast.Name("jaxviz collect", ast.Load())
    changed = ast.Call(collector, [call.func, *call.args], call.keywords)
    tree = ast.fix_missing_locations(ast.copy_location(ast.Expression(changed), call))
    names = {**(local_ns or {}), "jaxviz collect": collect}
    return eval(compile(tree, CALL_FILE, "eval"), user_ns, names)
