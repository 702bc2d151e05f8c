"""Finds the argument whose value a failing line needs, where it could be made static."""

from __future__ import annotations

import ast
import re
from typing import Any

from jaxviz.capture.asked import FailedExpression
from jaxviz.capture.owner import Owned, argument_names, is_jitted

_ARGUMENTS = re.compile(r"depends on the values? of the arguments? (.*)\.$", re.MULTILINE)
_FUNCTION = re.compile(r"while tracing the function (?P<name>.*) at .* for (?P<kind>\w+)\.")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CHOICES = bool | int
"""The types that are suggested as static. A float is more likely data: made static, it would cause
a trace for each value."""


def blamed(text: str, known: FailedExpression, called: Owned, args: Any, kwargs: Any) -> str:
    """How to make the argument static whose value the line needs. Empty where there is none.

    It must have been passed as a Python number, and be read by the line itself: what `jax.numpy`
    computes from a static argument is traced all the same."""
    found, traced = _ARGUMENTS.search(text), _FUNCTION.search(text)
    if found is None or traced is None or traced["kind"] != "jit":
        return ""
    names = argument_names(called.fun, args, kwargs)
    values = dict(zip(names, [*args, *kwargs.values()], strict=True))
    own = getattr(called.fun, "__name__", None) == traced["name"]
    if not (own and isinstance(values.get(found[1]), _CHOICES) and _asks_for(known, found[1])):
        return ""
    return way(found[1], called)


def way(argument: str, called: Owned) -> str:
    """How to make an argument static."""
    if is_jitted(called.fun):
        return f"make {argument} static: jax.jit({called.title}, static_argnames={argument!r})"
    return (
        f"make {argument} static: --static-argnames {argument} in %jaxviz, "
        f"static_argnames={argument!r} in jaxviz.inspect and jax.jit"
    )


def _asks_for(known: FailedExpression, argument: str) -> bool:
    """Whether the expression that failed reads the argument as it was passed. It does not if the
    function sets a variable of that name anywhere."""
    function = next((node for node in known.nodes if isinstance(node, _FUNCTIONS)), None)
    if function is None or argument not in _names(known.nodes[0], ast.Load):
        return False
    parameters = function.args
    own = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    passed = argument in [parameter.arg for parameter in own]
    return passed and argument not in _names(function, ast.Store)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that `node` reads or sets, whichever `context` says."""
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in found if isinstance(part.ctx, context)}
