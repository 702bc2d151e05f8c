"""Fixes for static arguments and fields: arguments become static, so that their value is part of
the program; fields with arrays become data; wrong names of arguments are replaced."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from inspect import Parameter, signature

import jax

from jaxviz.capture.failure.code import is_array, is_traced, option, strings
from jaxviz.capture.failure.failed_call import Change, FailedCall, otherwise, sketch
from jaxviz.capture.shown.objects import attribute, is_a, vars_of
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

CHOICES = (bool, int, str)
"""Types of arguments that may become static. A float is more likely data: as a static argument it
would cause a trace for each value."""


MAKES_DECORATORS = signature(jax.jit).parameters["fun"].default is not Parameter.empty
"""True if `@jax.jit(static_argnames=…)` is a decorator, as on JAX 0.10; not on 0.6."""


def static_fix(call: FailedCall, *within: ast.AST | None) -> Fix | None:
    """Makes the arguments static that these expressions read. They have to be Python values, and
    the only traced values that the expressions read."""
    names = set().union(*map(call.names, within))
    traced = {name for name in names if is_traced(call.variables.get(name))}
    if not traced or not all(_may_be_static(call, name) for name in traced):
        return None
    return making_static(call, sorted(traced))


def _may_be_static(call: FailedCall, name: str) -> bool:
    function = call.function
    if function is None or not is_a(call.arguments.get(name), *CHOICES):
        return False
    stored = (part for part in ast.walk(function) if isinstance(part, ast.Name))
    return not any(part.id == name and isinstance(part.ctx, ast.Store) for part in stored)


def making_static(call: FailedCall, names: list[str], function: str = "") -> Fix:
    """The edit of the decorator or the call of `jax.jit` that makes arguments static: of the
    function that was called, unless another one is named."""
    listed = ", ".join(names)
    title = sentence("make listed static a part", listed=listed)
    quoted = ", ".join(f'"{name}"' for name in names)
    option = f"static_argnames=({quoted}{',' * (len(names) == 1)})"
    for jit in _jits(call, function):
        change = _jitted(call, jit, option) or _numbered(call, jit, names)
        if change is not None:
            return call.fix(title, change)
    if call.passed and not call.passed.jitted:
        return sketch(sentence("make listed static static", listed=listed, option=option))
    return sketch(sentence("make listed static where the function", listed=listed, option=option))


def _jits(call: FailedCall, function: str) -> Iterator[ast.expr]:
    """The expressions that jit the function: a decorator, or a call of `jax.jit` with its name or
    with the lambda itself."""
    name = function or (attribute(call.passed.fun, "__name__", "") if call.passed else "")
    own = call.function
    for node in ast.walk(call.tree):
        match node:
            case ast.FunctionDef(name=found, decorator_list=decorators) if found == name:
                yield from decorators
            case ast.Call(func=jit, args=[ast.Name(id=found), *_]) if found == name:
                yield from [node] if _is_jit(call, jit) else []
            case ast.Call(func=jit, args=[ast.Lambda() as made, *_]) if isinstance(own, ast.Lambda):
                same = (made.lineno, made.col_offset) == (own.lineno, own.col_offset)
                yield from [node] if same and _is_jit(call, jit) else []


def _numbered(call: FailedCall, jit: ast.expr, names: list[str]) -> Change | None:
    """The decorator with the numbers of the arguments, if it has only `static_argnums`."""
    options = jit.keywords if isinstance(jit, ast.Call) else []
    static = [word for word in options if (word.arg or "").startswith("static")]
    function = call.function
    parameters = [one.arg for one in function.args.args] if function else []
    if [word.arg for word in static] != ["static_argnums"] or not {*names} <= {*parameters}:
        return None
    match static[0].value:
        case ast.Constant(value=int() as number):
            current = [number]
        case ast.Tuple(elts=parts) if all(isinstance(one, ast.Constant) for one in parts):
            values = (one.value for one in parts if isinstance(one, ast.Constant))
            current = [value for value in values if is_a(value, int)]
        case _:
            return None
    numbers = sorted({*current, *map(parameters.index, names)})
    return static[0], f"static_argnums={tuple(numbers)}"


def _jitted(call: FailedCall, decorator: ast.expr, option: str) -> Change | None:
    """The decorator with the option, if it is `jax.jit` without a static option."""
    text = call.text(decorator)
    if _is_jit(call, decorator):
        partial = call.module(functools.partial, "")
        if partial:
            return decorator, f"{partial}({text}, {option})"
        return (decorator, f"{text}({option})") if MAKES_DECORATORS else None
    match decorator:
        case ast.Call(keywords=options) if any(
            _is_jit(call, part) for part in (decorator.func, *decorator.args)
        ):
            if not any((word.arg or "").startswith("static") for word in options):
                return call.with_argument(decorator, option)
    return None


def _is_jit(call: FailedCall, node: ast.expr) -> bool:
    """True if an expression names `jax.jit`, or `nnx.jit`, which takes the same options."""
    match node:
        case ast.Attribute(value=ast.Name(id=module), attr="jit"):
            found = call.variables.get(module)
            return found is jax or (found is not None and found is sys.modules.get("flax.nnx"))
        case ast.Name(id=name):
            return call.variables.get(name) is jax.jit
    return False


_ARRAY = re.compile(r"\b(?:ndarray|\w*Array)\b")
_STATIC = {("pytree_node", False), ("static", True)}


@otherwise("keep arrays out of static")
def static_array(call: FailedCall) -> Iterator[Fix]:
    """A static field that contains an array: it becomes a data field."""
    for node in ast.walk(call.tree):
        match node:
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=kind, value=ast.Call(args=[]) as field
            ) if _is_static(field) and _is_array(call, name, kind):
                change = (node, f"{name}: {call.text(kind)}")
                yield call.fix(sentence("data field", names=name), change)
            case ast.Call(keywords=words) if {"data_fields", "meta_fields"} <= {
                word.arg for word in words
            }:
                yield from _as_data(call, node)


def _is_static(field: ast.Call) -> bool:
    """True if the field's only option makes it static."""
    options = [
        (word.arg, word.value.value)
        for word in field.keywords
        if isinstance(word.value, ast.Constant)
    ]
    return len(field.keywords) == len(options) == 1 and options[0] in _STATIC


def _is_array(call: FailedCall, name: str, kind: ast.expr) -> bool:
    """True if a field is annotated as an array, or contains one in an object of the frame."""
    values = (vars_of(value).get(name) for value in call.variables.values())
    return bool(_ARRAY.search(call.text(kind))) or any(map(is_array, values))


def _as_data(call: FailedCall, node: ast.Call) -> Iterator[Fix]:
    """The fields with arrays among the data of `register_dataclass`."""
    data, meta = option(node, "data_fields"), option(node, "meta_fields")
    if not isinstance(data, ast.List) or not isinstance(meta, ast.List):
        return
    kinds = {
        part.target.id: part.annotation
        for part in call.all(ast.AnnAssign)
        if isinstance(part.target, ast.Name)
    }
    moved = [
        one
        for one in strings(meta)
        if str(one.value) in kinds and _is_array(call, str(one.value), kinds[str(one.value)])
    ]
    if moved:
        remaining = [call.text(one) for one in strings(meta) if one not in moved]
        listed = ", ".join([*map(call.text, data.elts), *map(call.text, moved)])
        names = " and ".join(str(one.value) for one in moved)
        changes = [(data, f"[{listed}]"), (meta, f"[{', '.join(remaining)}]")]
        yield call.fix(sentence("data field", names=names), *changes)


_NAMES = re.compile(r"invalid argnames \{(.*?)\} in (\w+)")
_NUMBERS = re.compile(r"(static_argnums|donate_argnums)=\(?([\d, -]+)\)?.* (\d+) positional")


def static_names(call: FailedCall) -> Iterator[Fix]:
    """The name or number of an argument of the jitted function, for a wrong one."""
    text = call.message
    names, numbers = _NAMES.search(text), _NUMBERS.search(text)
    if names:
        yield from _named(call, re.findall(r"'(\w+)'", names[1]), names[2])
    elif numbers:
        yield from _counted_from_0(call, numbers[1], int(numbers[3]))


def _named(call: FailedCall, wrong: list[str], keyword: str) -> Iterator[Fix]:
    """The parameter with the most similar name."""
    options = [option(node, keyword) for node in call.calls()]
    written = [one for node in options for one in strings(node) if one.value in wrong]
    parameters = _parameters(call)
    likely = get_close_matches(wrong[0], parameters, n=1) if len(wrong) == 1 else []
    if likely and len(written) == 1:
        title = sentence("the name of the parameter", likely=likely[0])
        yield call.fix(title, call.quoted(written[0], likely[0]))
    elif parameters:
        yield sketch(sentence("name parameters of the function", known=", ".join(parameters)))


def _parameters(call: FailedCall) -> list[str]:
    """The parameters of the function that is jitted on the failing line, or below a decorator."""
    node = call.node
    functions = [call.function_of(one) for one in getattr(node, "args", [])]
    outer = [part for part in call.nodes if isinstance(part, ast.FunctionDef)]
    under = [one for one in outer if node in one.decorator_list]
    found = [one for one in functions if one is not None] or under or _decorated(call)
    return [one.arg for one in (*found[0].args.args, *found[0].args.kwonlyargs)] if found else []


def _decorated(call: FailedCall) -> list[ast.FunctionDef]:
    """The function below the decorator that failed."""
    line = getattr(call.node, "lineno", 0)
    found = [
        one
        for one in call.all(ast.FunctionDef)
        if any(part.lineno <= line <= (part.end_lineno or 0) for part in one.decorator_list)
    ]
    return found or call.functions(getattr(call.node, "name", ""))


def _counted_from_0(call: FailedCall, keyword: str, count: int) -> Iterator[Fix]:
    """The number of the last argument, for one that counts from 1."""
    options = [option(node, keyword) for node in call.calls()]
    written = [
        one
        for node in options
        for one in (ast.walk(node) if node else ())
        if isinstance(one, ast.Constant) and is_a(one.value, int) and one.value >= count
    ]
    if len(written) == 1 and written[0].value == count and count:
        yield call.fix("count the arguments from 0", (written[0], str(count - 1)))
    yield sketch(sentence("number the arguments from 0 the last", value=str(count - 1)))
