"""Fixes for arrays whose shapes or dtypes do not fit, if the shapes leave one choice: a new axis,
a product transposed, another axis or size, subscripts of `einsum`, channels of a convolution."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from jax import lax

from jaxviz.capture.failure.code import called, option
from jaxviz.capture.failure.failed_call import Change, FailedCall, either, sketch
from jaxviz.capture.failure.fixes.calls import bounds
from jaxviz.capture.failure.sides import written_operands
from jaxviz.capture.failure.types import Shape, shape_of, shapes_in, tuples_in
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix, Sentence
from jaxviz.sentences import sentence

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


def promoted(call: FailedCall) -> Iterator[Fix]:
    """The function of `jax.numpy`, which converts and broadcasts, in place of one of `lax`. A
    loop's bounds get one dtype."""
    yield from bounds(call)
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=called) as function):
            other = _OF_NUMPY.get(called)
            if call.variables.get(module) is lax and other is not None and _broadcast(call):
                name = f"{call.jnp}.{other}"
                differs = sentence("Operands are converted and broadcast")
                title = sentence("name which makes them", name=name)
                yield call.fix(title, (function, name), differs=differs)


def _broadcast(call: FailedCall) -> bool:
    try:
        np.broadcast_shapes(*_shapes(call))
    except ValueError:
        return False
    return True


def fitted(call: FailedCall) -> Iterator[Fix]:
    """Arrays whose shapes do not fit, if exactly one change makes them fit."""
    yield from promoted(call)
    yield from either(of_operation, call)
    match call.node:
        case ast.BinOp(op=ast.MatMult()):
            yield from _transposed(call)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            yield from _with_axis(call)
        case ast.Call(func=ast.Attribute(attr="concatenate")):
            yield from _other_axis(call)
        case ast.Call(func=ast.Attribute(attr="reshape"), args=[*_, ast.Constant()] as sizes):
            yield from _worked_out(call, [part for part in sizes if isinstance(part, ast.Constant)])


def _transposed(call: FailedCall) -> Iterator[Fix]:
    """`x.T @ w` or `x @ w.T`, if exactly one of them fits."""
    nodes, shapes = written_operands(call.node), _shapes(call)
    if len(nodes) != 2 or [len(shape) for shape in shapes] != [2, 2]:
        return
    one, other = shapes
    choices = [(nodes[0], one[::-1], other), (nodes[1], one, other[::-1])]
    fits = [(node, (a[0], b[1])) for node, a, b in choices if a[1] == b[0]]
    if len(fits) == 1:
        ((node, shape),) = fits
        change = (node, f"{call.operand(node)}.T")
        yield _edit(call, sentence("transpose one of them"), shape, change)


def _with_axis(call: FailedCall) -> Iterator[Fix]:
    """`b[:, None]`, if there is one choice of axes for the smaller array."""
    nodes, shapes = written_operands(call.node), _shapes(call)
    if len(nodes) != 2 or len(shapes) != 2 or len(shapes[0]) == len(shapes[1]):
        return
    small, large = sorted(range(2), key=lambda n: len(shapes[n]))
    sizes, whole = shapes[small], shapes[large]
    choices = [
        axes
        for axes in combinations(range(len(whole)), len(sizes))
        if sizes and all(whole[axis] == size for axis, size in zip(axes, sizes, strict=True))
    ]
    if len(choices) == 1:
        first = choices[0][0]
        index = ", ".join(
            ":" if axis in choices[0] else "None" for axis in range(first, len(whole))
        )
        change = (nodes[small], f"{call.operand(nodes[small])}[{index}]")
        yield _edit(call, sentence("put in an axis"), whole, change)


def _other_axis(call: FailedCall) -> Iterator[Fix]:
    """The axis along which the sizes may differ."""
    shapes, axis_node = tuples_in(call.message), option(call.node, "axis")
    axis = unlike_axis(shapes)
    if axis is not None and (axis_node is not None or len(call.node.args) == 1):
        total = [*shapes[0]]
        total[axis] = sum(shape[axis] for shape in shapes)
        added = call.with_argument(call.node, f"axis={axis}")
        change = added if axis_node is None else (axis_node, str(axis))
        yield _edit(call, sentence("join them along the axis"), tuple(total), change)


def unlike_axis(shapes: list[Shape]) -> int | None:
    """The only axis whose sizes differ; None if there is none."""
    if len(shapes) < 2 or len({*map(len, shapes)}) > 1:
        return None
    unlike = [n for n, sizes in enumerate(zip(*shapes, strict=True)) if len({*sizes}) > 1]
    return unlike[0] if len(unlike) == 1 else None


def _worked_out(call: FailedCall, sizes: list[ast.Constant]) -> Iterator[Fix]:
    """One size that follows from the others: -1."""
    values = [size.value for size in sizes if is_a(size.value, int)]
    found = re.search(r"\(size (\d+)\) into", call.message)
    if found is None or len(values) != len(call.node.args) or -1 in values:
        return
    choices = []
    for n in range(len(values)):
        rest = int(np.prod(values[:n] + values[n + 1 :]))
        if rest and int(found[1]) % rest == 0:
            choices.append((n, int(found[1]) // rest))
    if len(choices) == 1:
        ((n, size),) = choices
        shape = (*values[:n], size, *values[n + 1 :])
        yield _edit(call, sentence("let one size be worked"), shape, (sizes[n], "-1"))


def _edit(call: FailedCall, title: Sentence, shape: Shape, change: Change) -> Fix:
    return call.fix(title, change, differs=sentence("The result has the shape", shape=str(shape)))


def _shapes(call: FailedCall) -> list[Shape]:
    return [array.shape for array in call.operands]


def einsum(call: FailedCall) -> Iterator[Fix]:
    """Other subscripts, if the shapes leave one choice."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=str() as text) as written, *arrays]):
            shapes = [shape_of(call, node) for node in arrays]
            sizes = [one for one in shapes if one is not None]
            made = [*_subscripts(text, sizes)] if len(sizes) == len(shapes) else []
            results = {one: shape for one in made if (shape := _result(one, sizes)) is not None}
            if len(results) == 1:
                ((new, shape),) = results.items()
                change = call.quoted(written, new)
                differs = sentence("The result has the shape", shape=str(shape))
                yield call.fix(sentence("the subscripts new", new=new), change, differs=differs)
            yield sketch(_counted(text, sizes, len(arrays)))


def _counted(text: str, shapes: list[Shape], count: int) -> Sentence:
    groups = text.partition("->")[0].split(",")
    if len(groups) != count:
        return sentence("groups of letters", operands=str(count), groups=str(len(groups)))
    if len(shapes) != count:
        return sentence("a letter for each axis")
    ranks = ", ".join(str(len(one)) for one in shapes)
    return sentence("a letter for each axis, ranks", ranks=ranks)


def _subscripts(text: str, shapes: list[Shape]) -> Iterator[str]:
    """Subscripts with one change."""
    before, arrow, after = text.replace(" ", "").partition("->")
    groups = before.split(",")
    if len(groups) != len(shapes):
        return
    for n, group in enumerate(groups):
        if len(group) == len(shapes[n]) == 2:
            yield ",".join([*groups[:n], group[::-1], *groups[n + 1 :]]) + arrow + after
    if arrow and any(len(g) < len(s) for g, s in zip(groups, shapes, strict=True)):
        more = [f"...{g}" if len(g) < len(s) else g for g, s in zip(groups, shapes, strict=True)]
        yield f"{','.join(more)}->...{after}"
    letters = {letter for group in groups for letter in group}
    strange = [letter for letter in after if letter not in letters]
    once = [one for one in sorted(letters) if before.count(one) == 1 and one not in after]
    if len(strange) == len(once) == 1:
        yield f"{before}->{after.replace(strange[0], once[0])}"


def _result(subscripts: str, shapes: list[Shape]) -> Shape | None:
    """The shape that subscripts give; None if they do not fit."""
    before, _, after = subscripts.partition("->")
    sizes: dict[str, int] = {}
    rest: Shape = ()
    for group, shape in zip(before.split(","), shapes, strict=True):
        letters = group.removeprefix("...")
        extra = len(shape) - len(letters)
        if extra < 0 or (extra and letters == group):
            return None
        rest = shape[:extra] or rest
        for letter, size in zip(letters, shape[extra:], strict=True):
            if sizes.setdefault(letter, size) != size:
                return None
    if "->" not in subscripts:
        after = "".join(sorted(one for one in sizes if before.count(one) == 1))
    named = after.removeprefix("...")
    if any(letter not in sizes for letter in named):
        return None
    return (*rest, *(sizes[letter] for letter in named))


def convolution(call: FailedCall) -> Iterator[Fix]:
    """Channels that are last, declared in `dimension_numbers`; else the sizes that have to be
    equal."""
    node, found = call.node, re.search(r"(\d+) // (\d+) != (\d+)", call.message)
    if not called(node).startswith("conv"):
        return
    shapes = [shape_of(call, one) for one in node.args[:2]]
    match shapes:
        case [(n, *space, c), (*window, i, o)] if (
            call.value(node.func) is lax.conv_general_dilated
            and option(node, "dimension_numbers") is None
            and len(node.args) < 7
            and len(space) == len(window) == 2
            and c == i
        ):
            same = [part.value for part in node.args if isinstance(part, ast.Constant)] == ["SAME"]
            one = _ones(node.args[2]) if len(node.args) > 2 else False
            shape = sentence("The result has the shape", shape=str((n, *space, o)))
            differs = shape if same and one else sentence("The channels are the last")
            change = call.with_argument(node, 'dimension_numbers=("NHWC", "HWIO", "NHWC")')
            yield call.fix("declare that channels are last", change, differs=differs)
    if found:
        yield sketch(sentence("make the channels equal", found=found[1], found2=found[3]))
    yield sketch("give the input as many")


def _ones(node: ast.expr) -> bool:
    parts = getattr(node, "elts", [])
    return bool(parts) and all(isinstance(p, ast.Constant) and p.value == 1 for p in parts)


_STARTS = {"dynamic_update_slice": 2, "dynamic_slice": 1}
"""The place of the start indices among the arguments of functions of `lax`."""


def update(call: FailedCall) -> Iterator[Fix]:
    """An update of a slice with other axes, another size, or too few indices."""
    text, node = call.message, call.node
    if called(node) not in _STARTS:
        return
    indices = re.search(r"\((\d+) vs \(([\d, ]*)\)\)", text)
    start_node = node.args[_STARTS[called(node)]] if len(node.args) == 3 else None
    if indices and isinstance(start_node, ast.Tuple):
        rank = len([one for one in indices[2].split(",") if one.strip()])
        if len(start_node.elts) < rank:
            starts = [*map(call.text, start_node.elts), *["0"] * (rank - len(start_node.elts))]
            yield call.fix("an index for each", (start_node, f"({', '.join(starts)})"))
    shapes = re.findall(r"\(([\d, ]*)\)", text)
    if "rank" in text:
        yield sketch("give the update all axes")
    elif "smaller" in text and len(shapes) == 2:
        yield sketch(sentence("give an update that is no larger", shapes=shapes[1]))


_TYPES = re.compile(r"(?:type=\w+|shape[=s]*)? ?[\[(]([\d, ]*)[\])]")


def set_value(call: FailedCall) -> Iterator[Fix]:
    """A value whose shape does not fit the places that it is set at."""
    match call.node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(attr="at")),
                attr="set" | "add" | "multiply" | "divide" | "power" | "min" | "max" as method,
            ),
            args=[value],
        ):
            shapes = shapes_in(call.message) or [
                tuple(map(int, filter(str.strip, one.split(","))))
                for one in _TYPES.findall(call.message)
            ]
            if len(shapes) == 2:
                value_shape, places = shapes
                if len(value_shape) == 1 and len(places) == 2 and value_shape[0] == places[0]:
                    change = (value, f"{call.operand(value)}[:, None]")
                    yield call.fix("a column of the value", change, differs="The value is a column")
                shapes = {"places": str(places), "given": str(value_shape)}
                yield sketch(sentence("method needs a value", method=method, **shapes))


def of_operation(call: FailedCall) -> Iterator[Fix]:
    """The fixes of these operations, for the one that failed."""
    for rule in (convolution, update, set_value):
        yield from rule(call)
