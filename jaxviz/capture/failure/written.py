"""Reads the code around a call that failed: which functions it calls, and with which options."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.shown.callables import parameter_names
from jaxviz.capture.shown.objects import attribute, is_a


def calls_written(call: FailedCall) -> list[ast.Call]:
    """The calls in the source of the cell or file, in the order of their lines."""
    found = [node for node in ast.walk(tree(call)) if isinstance(node, ast.Call)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def tree(call: FailedCall) -> ast.Module:
    return ast.parse(call.failed.source)


def value_of(call: FailedCall, node: ast.AST | None) -> Any:
    """What a name stands for, or an attribute of a module (`jax.vmap`); None for anything else."""
    match node:
        case ast.Name(id=name):
            return call.held.get(name)
        case ast.Attribute(value=of, attr=name):
            module = value_of(call, of)
            return attribute(module, name) if is_a(module, ModuleType) else None
    return None


def option(node: ast.Call, name: str) -> ast.expr | None:
    """What a call passes by a keyword."""
    return next((word.value for word in node.keywords if word.arg == name), None)


def called(node: ast.AST | None) -> str:
    """The last name of the function that a call calls: `dot` of `jnp.dot(x, y)`."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def with_option(call: FailedCall, node: ast.Call, text: str) -> str:
    """A call with one more argument."""
    written = call.text(node)
    inside = written[:-1].rstrip()
    comma = "" if inside.endswith(("(", ",")) else ","
    return f"{inside}{comma}{' ' if not inside.endswith('(') else ''}{text})"


def functions_named(call: FailedCall, name: str) -> list[ast.FunctionDef]:
    kinds = (node for node in ast.walk(tree(call)) if isinstance(node, ast.FunctionDef))
    return [node for node in kinds if node.name == name]


def function_of(call: FailedCall, node: ast.AST | None) -> ast.FunctionDef | ast.Lambda | None:
    """The function that an expression stands for, if the source defines it once."""
    match node:
        case ast.Lambda():
            return node
        case ast.Name(id=name):
            found = functions_named(call, name)
            return found[0] if len(found) == 1 else None
    return None


def returned(node: ast.AST | None) -> ast.expr | None:
    """What a function returns, if that is one expression."""
    if isinstance(node, ast.Lambda):
        return node.body
    if not isinstance(node, ast.FunctionDef):
        return None
    found = [part for part in own_parts(node) if isinstance(part, ast.Return)]
    return found[0].value if len(found) == 1 else None


def own_parts(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module, without those of functions within it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from own_parts(node)


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters; empty if they are not known."""
    return parameter_names(function)


def strings(node: ast.AST | None) -> list[ast.Constant]:
    """The texts that an expression contains."""
    found = ast.walk(node) if node is not None else ()
    return [part for part in found if isinstance(part, ast.Constant) and is_a(part.value, str)]


def quoted_like(call: FailedCall, node: ast.Constant, text: str) -> str:
    """Another text in the quotes of the one that is written."""
    quote = call.text(node)[-1:]
    return f"{quote}{text}{quote}"
