"""Takes a call that the user wrote apart: its function and arguments are evaluated, but the call
itself is not made."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

FILE = "<%jaxviz>"
"""The file name of the call in tracebacks and source lines."""

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def evaluate(call: ast.Call, user_ns: dict[str, Any], local_ns: dict[str, Any] | None) -> Call:
    """The function and the arguments of a call, evaluated in Python's order. Raises what they
    raise."""
    __tracebackhide__ = True

    def collect(fun: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Call:
        return fun, args, kwargs

    collector = ast.Name("jaxviz collect", ast.Load())
    changed = ast.Call(collector, [call.func, *call.args], call.keywords)
    tree = ast.fix_missing_locations(ast.copy_location(ast.Expression(changed), call))
    names = {**(local_ns or {}), "jaxviz collect": collect}
    return eval(compile(tree, FILE, "eval"), user_ns, names)
