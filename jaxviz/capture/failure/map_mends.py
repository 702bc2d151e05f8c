"""Fixes for `jax.vmap`: which arguments it maps over, and the name of the axis."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.mesh_axes import mesh_axes, on_mesh
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.failure.written import (
    called,
    calls_written,
    function_of,
    option,
    quoted_like,
    strings,
    value_of,
    with_option,
)
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence

Shape = tuple[int, ...]


def batch(call: FailedCall) -> Iterator[Mend]:
    """`jax.vmap` maps over arguments that have no axis of the same size."""
    match call.node:
        case ast.Call(func=ast.Call() as mapped, args=args, keywords=[]) if value_of(
            call, mapped.func
        ) is jax.vmap and not any(isinstance(one, ast.Starred) for one in args):
            given = option(mapped, "in_axes")
            if given is None and len(mapped.args) == 1:
                yield from _in_axes(call, mapped, args)
            elif isinstance(given, ast.Tuple) and len(given.elts) < len(args):
                yield from _longer(call, given, args)


def _in_axes(call: FailedCall, mapped: ast.Call, args: list[ast.expr]) -> Iterator[Mend]:
    """The call with `in_axes`, if the arguments leave one choice; else what each choice means."""
    shapes = [_shapes(call, node) for node in args]
    whole = _shared(shapes)
    names = [call.line(node) for node in args]
    if whole:
        axes = ", ".join("None" if n in whole else "0" for n in range(len(args)))
        scalars = all(shapes[n] == [()] for n in whole)
        listed = " and ".join(names[n] for n in sorted(whole))
        text = with_option(call, mapped, f"in_axes=({axes})")
        title = sentence("map only over the others", axes=axes)
        yield edited(
            call,
            title,
            (mapped, text),
            differs=NOTHING if scalars else sentence("each call gets all", names=listed),
        )
    elif len(args) == 2:
        one, other = names
        yield sketch(sentence("if all calls share", one=one, other=other))


def _shapes(call: FailedCall, node: ast.expr) -> list[Shape] | None:
    """The shapes of an argument's leaves; None if they are not known."""
    if isinstance(node, ast.Name) and node.id in call.held:
        leaves = jax.tree.leaves(call.held[node.id])
        return [np.shape(leaf) for leaf in leaves if not is_a(leaf, str)]
    known = type_of(node, call.held)
    found = _of_literal(node) if known is None else known
    return None if found is None else [found.shape]


def _of_literal(node: ast.expr) -> Any:
    """The type of `jnp.ones((5, 3))` and its like, of literal sizes."""
    match node:
        case ast.Call(args=[ast.Constant(value=int() as size), *_]) if called(node) in _MAKERS:
            return jax.ShapeDtypeStruct((size,), float)
        case ast.Call(args=[ast.Constant(value=float() as size)]) if called(node) == "arange":
            return jax.ShapeDtypeStruct((int(size),), float)
        case ast.Call(args=[ast.Tuple(elts=sizes), *_]) if called(node) in _MAKERS:
            known = [part.value for part in sizes if isinstance(part, ast.Constant)]
            whole = len(known) == len(sizes) and all(is_a(n, int) for n in known)
            return jax.ShapeDtypeStruct(tuple(known), float) if whole else None
    return None


_MAKERS = ("ones", "zeros", "empty", "arange", "full")


def _shared(shapes: list[list[Shape] | None]) -> set[int]:
    """The arguments that all calls share: numbers, trees whose leaves have no size in common, and
    one array whose size no other has; empty if that is not certain."""
    if any(not one for one in shapes):
        return set()
    whole = {n for n, leaves in enumerate(shapes) if _size(leaves or []) is None}
    sizes = {n: _size(leaves or []) for n, leaves in enumerate(shapes) if n not in whole}
    counts = sorted((list(sizes.values()).count(size), size) for size in {*sizes.values()})
    if len(counts) == 1:
        return whole
    if len(counts) == 2:
        (few, odd), (many, _) = counts
        rest = {n for n, size in sizes.items() if size == odd}
        if few < many:
            return whole | rest
        ranks = [(len((shapes[n] or [()])[0]), n) for n in sizes]
        if len(ranks) == 2 and ranks[0][0] != ranks[1][0]:
            return whole | {min(ranks)[1]}
    return set()


def _size(leaves: list[Shape]) -> int | None:
    """The size of the first axis of all leaves; None if they have none in common."""
    sizes = {shape[0] if shape else None for shape in leaves}
    return sizes.pop() if len(sizes) == 1 else None


def _longer(call: FailedCall, given: ast.Tuple, args: list[ast.expr]) -> Iterator[Mend]:
    """`in_axes` with an entry for each argument, if those without one are numbers."""
    missing = [_shapes(call, node) for node in args[len(given.elts) :]]
    if all(one == [()] for one in missing):
        entries = [*map(call.text, given.elts), *("None" for _ in missing)]
        yield edited(call, sentence("an entry for each"), (given, f"({', '.join(entries)})"))


_UNBOUND = re.compile(r"unbound axis name: (\S+?)\.?(?:\s|$)")


def axis_name(call: FailedCall) -> Iterator[Mend]:
    """A collective names an axis that no map around it has."""
    found = _UNBOUND.search(message_of(call.error))
    maps = [node for node in calls_written(call) if value_of(call, node.func) is jax.vmap]
    around = [node for node in maps if _maps(call, node)]
    wanted = found[1] if found else ""
    unnamed = [node for node in around if option(node, "axis_name") is None]
    names = [part for node in around for part in strings(option(node, "axis_name"))]
    written = [part for part in strings(call.node) if part.value == wanted]
    if len(unnamed) == len(around) == 1 and wanted.isidentifier():
        text = with_option(call, around[0], f'axis_name="{wanted}"')
        yield edited(call, sentence("name the axis axis_name", wanted=wanted), (around[0], text))
    elif len(names) == len(around) == len(written) == len(strings(call.node)) == 1:
        text = quoted_like(call, written[0], str(names[0].value))
        yield edited(call, sentence("the axis name of the vmap"), (written[0], text))
    elif "shard_map" in call.failed.source and wanted not in mesh_axes(call):
        yield from on_mesh(call, strings(call.node))
    else:
        yield sketch(sentence("call it within jax.vmap f", wanted=wanted))


def _maps(call: FailedCall, node: ast.Call) -> bool:
    """Whether a vmap maps the function that failed."""
    function, failed = function_of(call, node.args[0] if node.args else None), call.failed
    own = failed.function()
    return function is not None and own is not None and function.lineno == own.lineno
