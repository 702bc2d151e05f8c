"""Mends that make an argument static: its value is then part of the program."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from inspect import Parameter, signature

import jax

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall, is_traced
from jaxviz.capture.shown.objects import attribute, is_a
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

CHOICES = (bool, int, str)
"""Types whose values are offered to be static. A float is more likely data: made static, it would
cause a trace for each value."""


MAKES_DECORATORS = signature(jax.jit).parameters["fun"].default is not Parameter.empty
"""True if `@jax.jit(static_argnames=…)` is a decorator, as on JAX 0.10; not on 0.6."""


def static_mend(call: FailedCall, *within: ast.AST | None) -> Mend | None:
    """Makes the arguments static that these expressions read, where they were passed as Python
    values, and nothing else that is traced stands there."""
    names = set().union(*map(call.names, within))
    traced = {name for name in names if is_traced(call.held.get(name))}
    if not traced or not all(_may_be_static(call, name) for name in traced):
        return None
    return making_static(call, sorted(traced))


def _may_be_static(call: FailedCall, name: str) -> bool:
    function = call.failed.function()
    if function is None or not is_a(call.arguments.get(name), *CHOICES):
        return False
    stored = (part for part in ast.walk(function) if isinstance(part, ast.Name))
    return not any(part.id == name and isinstance(part.ctx, ast.Store) for part in stored)


def making_static(call: FailedCall, names: list[str], function: str = "") -> Mend:
    """The edit of the decorator, or of the call of `jax.jit`, that names them: of the function that
    was called, unless another one is named."""
    listed = ", ".join(names)
    title = sentence("make listed static a part", listed=listed)
    quoted = ", ".join(f'"{name}"' for name in names)
    option = f"static_argnames=({quoted}{',' * (len(names) == 1)})"
    for jit in _jits(call, function):
        text = _jitted(call, jit, option) or _numbered(call, jit, names)
        if text is not None:
            return edited(call, title, (jit, text))
    if call.passed and not call.passed.jitted:
        return sketch(sentence("make listed static static", listed=listed, option=option))
    return sketch(sentence("make listed static where the function", listed=listed, option=option))


def _jits(call: FailedCall, function: str) -> Iterator[ast.expr]:
    """Where the source jits the function: a decorator, or a call of `jax.jit` with its name or with
    the lambda itself."""
    name = function or (attribute(call.passed.fun, "__name__", "") if call.passed else "")
    own = call.failed.function()
    for node in ast.walk(call.failed.tree()):
        match node:
            case ast.FunctionDef(name=found, decorator_list=decorators) if found == name:
                yield from decorators
            case ast.Call(func=jit, args=[ast.Name(id=found), *_]) if found == name:
                yield from [node] if _is_jit(call, jit) else []
            case ast.Call(func=jit, args=[ast.Lambda() as made, *_]) if isinstance(own, ast.Lambda):
                same = (made.lineno, made.col_offset) == (own.lineno, own.col_offset)
                yield from [node] if same and _is_jit(call, jit) else []


def _numbered(call: FailedCall, jit: ast.expr, names: list[str]) -> str | None:
    """The decorator with the numbers of the arguments, if it has `static_argnums` alone."""
    options = jit.keywords if isinstance(jit, ast.Call) else []
    given = [word for word in options if (word.arg or "").startswith("static")]
    function = call.failed.function()
    parameters = [one.arg for one in function.args.args] if function else []
    if [word.arg for word in given] != ["static_argnums"] or not {*names} <= {*parameters}:
        return None
    match given[0].value:
        case ast.Constant(value=int() as number):
            known = [number]
        case ast.Tuple(elts=parts) if all(isinstance(one, ast.Constant) for one in parts):
            values = (one.value for one in parts if isinstance(one, ast.Constant))
            known = [value for value in values if is_a(value, int)]
        case _:
            return None
    numbers = sorted({*known, *map(parameters.index, names)})
    return call.text(jit).replace(call.text(given[0]), f"static_argnums={tuple(numbers)}")


def _jitted(call: FailedCall, decorator: ast.expr, option: str) -> str | None:
    """The decorator with the option, if it is of `jax.jit` and has no such option yet."""
    text = call.text(decorator)
    if _is_jit(call, decorator):
        partial = call.module(functools.partial, "")
        if partial:
            return f"{partial}({text}, {option})"
        return f"{text}({option})" if MAKES_DECORATORS else None
    match decorator:
        case ast.Call(keywords=options) if any(
            _is_jit(call, part) for part in (decorator.func, *decorator.args)
        ):
            if not any((known.arg or "").startswith("static") for known in options):
                return f"{text[:-1].rstrip().rstrip(',')}, {option})"
    return None


def _is_jit(call: FailedCall, node: ast.expr) -> bool:
    """Whether an expression names `jax.jit`, or `nnx.jit`, which takes the same options."""
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr="jit"):
            found = call.held.get(module)
            return found is jax or (found is not None and found is sys.modules.get("flax.nnx"))
        case ast.Name(id=name):
            return call.held.get(name) is jax.jit
    return False
