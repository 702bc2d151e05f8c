"""The parts of the reader's expression that have to be numbers while JAX traces: the size in
`x.reshape(n)`, the end of the slice `x[:k]`, the axis of a sum."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import jax.numpy as jnp

from jaxviz.capture.failure.callee import UNKNOWN, value_of
from jaxviz.capture.shown.callables import parameter_names
from jaxviz.capture.shown.objects import attribute, is_a

_PARAMETERS = frozenset(
    (
        *("shape", "newshape", "size", "sizes", "slice_sizes", "new_sizes", "length", "num"),
        *("N", "M", "n", "k", "reps", "repeats", "total_repeat_length", "num_classes", "minlength"),
        *("axis", "axes", "dimension", "indices_or_sections", "pad_width", "num_segments"),
    )
)
"""Parameters of JAX's functions whose value decides the shape of the result."""
_ALL = frozenset(("reshape", "arange", "transpose", "squeeze"))
"""Functions whose parameters, except for the array, are all sizes."""


def size_nodes(node: ast.AST | None, held: Mapping[str, Any]) -> list[ast.expr]:
    """The expressions of a call or a slice that have to be numbers, in the order written."""
    match node:
        case ast.Subscript(slice=index):
            slices = [part for part in ast.walk(index) if isinstance(part, ast.Slice)]
            ends = (end for one in slices for end in (one.lower, one.upper, one.step))
            return [end for end in ends if end is not None]
        case ast.Call():
            return [part for one in _arguments(node, held) for part in _parts(one)]
    return []


def _arguments(call: ast.Call, held: Mapping[str, Any]) -> Iterator[ast.expr]:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    fun = value_of(call.func, held)
    is_method = not callable(fun) or is_a(fun, str)
    if is_method:
        fun = getattr(jnp, called, None)
    names = parameter_names(fun) if callable(fun) else []
    every = called in _ALL or attribute(fun, "__name__", "") in _ALL
    skipped = 0 if is_method or attribute(fun, "__name__", "") == "arange" else 1
    for place, argument in enumerate(call.args, int(is_method)):
        name = names[place] if place < len(names) else ""
        if name in _PARAMETERS or (every and place >= max(skipped, int(is_method))):
            yield argument
    for word in call.keywords:
        if word.arg in _PARAMETERS or (every and word.arg in ("start", "stop", "step")):
            yield word.value


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """An expression, or the parts of the tuple or list that it is."""
    if isinstance(node, ast.Tuple | ast.List):
        for part in node.elts:
            yield from _parts(part)
    else:
        yield node


def named(nodes: list[ast.expr], held: Mapping[str, Any], kind: Any) -> list[Any]:
    """The values of a kind among expressions that are names, or fields and items of these."""
    values = (value_of(node, held) for node in nodes)
    return [value for value in values if value is not UNKNOWN and is_a(value, kind)]
