"""Mends for arrays whose shapes or dtypes do not fit: an axis put in, a product transposed, another
axis or size, where both shapes leave one way alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from jax import lax

from jaxviz.capture.failure.edits import Change, edited, either
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.operation_mends import of_operation
from jaxviz.capture.failure.plain_mends import bounds
from jaxviz.capture.failure.sides import written_operands
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.sentences import sentence

Shape = tuple[int, ...]
_SAME_NAMES = "add atan2 bitwise_and bitwise_or bitwise_xor nextafter"
_OF_NUMPY = {
    **{name: name for name in _SAME_NAMES.split()},
    "mul": "multiply",
    "sub": "subtract",
    "div": "divide",
    "rem": "remainder",
    "pow": "power",
    "max": "maximum",
    "min": "minimum",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
"""The names in `jax.numpy` of the functions of `lax` that take two operands."""


def promoted(call: FailedCall) -> Iterator[Mend]:
    """A function of `lax` does not convert or broadcast; that of `jax.numpy` does. A loop's bounds
    are made alike."""
    yield from bounds(call)
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called) as function):
            other = _OF_NUMPY.get(called)
            if call.held.get(module) is lax and other is not None and _broadcast(call):
                name = f"{call.jnp}.{other}"
                differs = sentence("Operands are converted and broadcast")
                title = sentence("name which makes them", name=name)
                yield edited(call, title, (function, name), differs=differs)


def _broadcast(call: FailedCall) -> bool:
    try:
        np.broadcast_shapes(*_shapes(call))
    except ValueError:
        return False
    return True


def fitted(call: FailedCall) -> Iterator[Mend]:
    """Arrays whose shapes do not fit, where one change alone makes them fit."""
    yield from promoted(call)
    yield from either(of_operation, call)
    match call.node:
        case ast.BinOp(op=ast.MatMult()):
            yield from _transposed(call)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            yield from _with_axis(call)
        case ast.Call(func=ast.Attribute(attr="concatenate"), keywords=options):
            yield from _other_axis(call, options)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[*_, ast.Constant()] as sizes):
            yield from _worked_out(call, [part for part in sizes if isinstance(part, ast.Constant)])


def _transposed(call: FailedCall) -> Iterator[Mend]:
    """`x.T @ w` or `x @ w.T`, of two matrices of which one way alone fits."""
    nodes, shapes = written_operands(call.node), _shapes(call)
    if len(nodes) != 2 or [len(shape) for shape in shapes] != [2, 2]:
        return
    one, other = shapes
    ways = [(nodes[0], one[::-1], other), (nodes[1], one, other[::-1])]
    fits = [(node, (a[0], b[1])) for node, a, b in ways if a[1] == b[0]]
    if len(fits) == 1:
        ((node, shape),) = fits
        yield _edit(
            call, sentence("transpose one of them"), shape, (node, f"{call.operand(node)}.T")
        )


def _with_axis(call: FailedCall) -> Iterator[Mend]:
    """`b[:, None]`, where the axes of the smaller array are those of the other in one way alone."""
    nodes, shapes = written_operands(call.node), _shapes(call)
    if len(nodes) != 2 or len(shapes) != 2 or len(shapes[0]) == len(shapes[1]):
        return
    small, large = sorted(range(2), key=lambda n: len(shapes[n]))
    sizes, whole = shapes[small], shapes[large]
    ways = [
        axes
        for axes in combinations(range(len(whole)), len(sizes))
        if sizes and all(whole[axis] == size for axis, size in zip(axes, sizes, strict=True))
    ]
    if len(ways) == 1:
        first = ways[0][0]
        index = ", ".join(":" if axis in ways[0] else "None" for axis in range(first, len(whole)))
        change = (nodes[small], f"{call.operand(nodes[small])}[{index}]")
        yield _edit(call, sentence("put in an axis"), whole, change)


def _other_axis(call: FailedCall, options: list[ast.keyword]) -> Iterator[Mend]:
    """The axis along which all sizes but one agree."""
    listed = re.findall(r"\(([\d, ]+)\)", message_of(call.error))
    shapes = [tuple(map(int, filter(str.strip, text.split(",")))) for text in listed]
    given = next((option.value for option in options if option.arg == "axis"), None)
    if len(shapes) < 2 or len({len(shape) for shape in shapes}) > 1:
        return
    unlike = [n for n, sizes in enumerate(zip(*shapes, strict=True)) if len({*sizes}) > 1]
    if len(unlike) == 1:
        (axis,) = unlike
        total = [*shapes[0]]
        total[axis] = sum(shape[axis] for shape in shapes)
        text = f"{call.text(call.node)[:-1]}, axis={axis})"
        change = (call.node, text) if given is None else (given, str(axis))
        if given is not None or len(call.node.args) == 1:
            yield _edit(call, sentence("join them along the axis"), tuple(total), change)


def _worked_out(call: FailedCall, sizes: list[ast.Constant]) -> Iterator[Mend]:
    """One size that follows from the others: -1."""
    given = [size.value for size in sizes if is_a(size.value, int)]
    found = re.search(r"\(size (\d+)\) into", message_of(call.error))
    if found is None or len(given) != len(call.node.args) or -1 in given:
        return
    ways = []
    for n in range(len(given)):
        rest = int(np.prod(given[:n] + given[n + 1 :]))
        if rest and int(found[1]) % rest == 0:
            ways.append((n, int(found[1]) // rest))
    if len(ways) == 1:
        ((n, size),) = ways
        shape = (*given[:n], size, *given[n + 1 :])
        yield _edit(call, sentence("let one size be worked"), shape, (sizes[n], "-1"))


def _edit(call: FailedCall, title: Sentence, shape: Shape, change: Change) -> Mend:
    return edited(
        call, title, change, differs=sentence("The result has the shape", shape=str(shape))
    )


def _shapes(call: FailedCall) -> list[Shape]:
    return [array.shape for array in call.operands]
