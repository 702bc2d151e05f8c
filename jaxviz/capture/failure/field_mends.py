"""Fixes for what is static and should not be, or is not there: arrays in static fields of a tree,
and names of arguments that a jitted function does not have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

import jax
import numpy as np

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.written import (
    calls_written,
    function_of,
    functions_named,
    option,
    quoted_like,
    strings,
    tree,
)
from jaxviz.capture.shown.objects import is_a, vars_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_ARRAY = re.compile(r"\b(?:ndarray|\w*Array)\b")
_STATIC = {("pytree_node", False), ("static", True)}


def static_array(call: FailedCall) -> Iterator[Mend]:
    """Makes the static field that contains an array a data field."""
    for node in ast.walk(tree(call)):
        match node:
            case ast.AnnAssign(
                target=ast.Name(id=name), annotation=kind, value=ast.Call(args=[]) as field
            ) if _is_static(field) and _is_array(call, name, kind):
                change = (node, f"{name}: {call.text(kind)}")
                yield edited(call, sentence("data field", names=name), change)
            case ast.Call(keywords=words) if {"data_fields", "meta_fields"} <= {
                word.arg for word in words
            }:
                yield from _as_data(call, node)
    yield sketch(sentence("keep arrays out of static"))


def _is_static(field: ast.Call) -> bool:
    """True if the field's only option says that it is no part of the tree."""
    options = [
        (word.arg, word.value.value)
        for word in field.keywords
        if isinstance(word.value, ast.Constant)
    ]
    return len(field.keywords) == len(options) == 1 and options[0] in _STATIC


def _is_array(call: FailedCall, name: str, kind: ast.expr) -> bool:
    """True if a field is annotated as an array, or an object at hand has one there."""
    held = (vars_of(value).get(name) for value in call.held.values())
    return bool(_ARRAY.search(call.text(kind))) or any(
        is_a(value, jax.Array, np.ndarray) for value in held
    )


def _as_data(call: FailedCall, node: ast.Call) -> Iterator[Mend]:
    """The fields with arrays among the data of `register_dataclass`."""
    data, meta = option(node, "data_fields"), option(node, "meta_fields")
    if not isinstance(data, ast.List) or not isinstance(meta, ast.List):
        return
    kinds = {
        part.target.id: part.annotation
        for part in ast.walk(tree(call))
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }
    moved = [
        one
        for one in strings(meta)
        if str(one.value) in kinds and _is_array(call, str(one.value), kinds[str(one.value)])
    ]
    if moved:
        kept = [call.text(one) for one in strings(meta) if one not in moved]
        listed = ", ".join([*map(call.text, data.elts), *map(call.text, moved)])
        names = " and ".join(str(one.value) for one in moved)
        changes = [(data, f"[{listed}]"), (meta, f"[{', '.join(kept)}]")]
        yield edited(call, sentence("data field", names=names), *changes)


_NAMES = re.compile(r"invalid argnames \{(.*?)\} in (\w+)")
_NUMBERS = re.compile(r"(static_argnums|donate_argnums)=\(?([\d, -]+)\)?.* (\d+) positional")


def static_names(call: FailedCall) -> Iterator[Mend]:
    """A name or number of an argument that the jitted function has."""
    text = message_of(call.error)
    names, numbers = _NAMES.search(text), _NUMBERS.search(text)
    if names:
        yield from _named(call, re.findall(r"'(\w+)'", names[1]), names[2])
    elif numbers:
        yield from _numbered(call, numbers[1], int(numbers[3]))


def _named(call: FailedCall, wrong: list[str], given: str) -> Iterator[Mend]:
    """The parameter with the name that is nearest."""
    options = [option(node, given) for node in calls_written(call)]
    written = [one for node in options for one in strings(node) if one.value in wrong]
    known = _parameters(call)
    likely = get_close_matches(wrong[0], known, n=1) if len(wrong) == 1 else []
    if likely and len(written) == 1:
        change = (written[0], quoted_like(call, written[0], likely[0]))
        yield edited(call, sentence("the name of the parameter", likely=likely[0]), change)
    elif known:
        yield sketch(sentence("name parameters of the function", known=", ".join(known)))


def _parameters(call: FailedCall) -> list[str]:
    """The parameters of the function that is jitted on the failing line, or below a decorator."""
    node = call.node
    functions = [function_of(call, one) for one in getattr(node, "args", [])]
    around = [part for part in call.failed.known.nodes if isinstance(part, ast.FunctionDef)]
    under = [one for one in around if node in one.decorator_list]
    found = [one for one in functions if one is not None] or under or _decorated(call)
    return [one.arg for one in (*found[0].args.args, *found[0].args.kwonlyargs)] if found else []


def _decorated(call: FailedCall) -> list[ast.FunctionDef]:
    """The function below the decorator that failed."""
    line = getattr(call.node, "lineno", 0)
    kinds = (part for part in ast.walk(tree(call)) if isinstance(part, ast.FunctionDef))
    found = [
        one
        for one in kinds
        if any(part.lineno <= line <= (part.end_lineno or 0) for part in one.decorator_list)
    ]
    return found or functions_named(call, getattr(call.node, "name", ""))


def _numbered(call: FailedCall, given: str, count: int) -> Iterator[Mend]:
    """The number of the last argument, for one that counts from 1."""
    options = [option(node, given) for node in calls_written(call)]
    written = [
        one
        for node in options
        for one in (ast.walk(node) if node else ())
        if isinstance(one, ast.Constant) and is_a(one.value, int) and one.value >= count
    ]
    if len(written) == 1 and written[0].value == count and count:
        title = sentence("count the arguments from 0")
        yield edited(call, title, (written[0], str(count - 1)))
    yield sketch(sentence("number the arguments from 0 the last", value=str(count - 1)))
