"""Fixes for operands of one operation that do not fit: the subscripts of `einsum`, the channels of
a convolution, an update of a slice, a value that is set."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax
import numpy as np
from jax import lax

from jaxviz.capture.failure.array_type import shapes_in
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.types import type_of
from jaxviz.capture.failure.written import called, option, quoted_like, value_of, with_option
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.sentences import sentence

Shape = tuple[int, ...]


def shape_of(call: FailedCall, node: ast.expr) -> Shape | None:
    """The shape of an argument, if its text and the variables say it."""
    if isinstance(node, ast.Name) and is_a(call.held.get(node.id), jax.Array, np.ndarray):
        return tuple(call.held[node.id].shape)
    found = type_of(node, call.held)
    return None if found is None else tuple(found.shape)


def einsum(call: FailedCall) -> Iterator[Mend]:
    """Other subscripts, if the shapes leave one choice."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=str() as text) as written, *arrays]):
            shapes = [shape_of(call, node) for node in arrays]
            known = [one for one in shapes if one is not None]
            made = [*_subscripts(text, known)] if len(known) == len(shapes) else []
            results = {one: shape for one in made if (shape := _result(one, known)) is not None}
            if len(results) == 1:
                ((new, shape),) = results.items()
                change = (written, quoted_like(call, written, new))
                differs = sentence("The result has the shape", shape=str(shape))
                yield edited(call, sentence("the subscripts new", new=new), change, differs=differs)
            yield sketch(_counted(text, known, len(arrays)))


def _counted(text: str, shapes: list[Shape], count: int) -> Sentence:
    given = text.partition("->")[0].split(",")
    if len(given) != count:
        return sentence("groups of letters", operands=str(count), groups=str(len(given)))
    if len(shapes) != count:
        return sentence("a letter for each axis")
    ranks = ", ".join(str(len(one)) for one in shapes)
    return sentence("a letter for each axis, ranks", ranks=ranks)


def _subscripts(text: str, shapes: list[Shape]) -> Iterator[str]:
    """Subscripts that differ from the given ones in one thing."""
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


def convolution(call: FailedCall) -> Iterator[Mend]:
    """Channels that are last, said by `dimension_numbers`; else the sizes that should be equal."""
    node, found = (
        call.node,
        re.search(r"(\d+) // (\d+) != (\d+)|size (\d+)", message_of(call.error)),
    )
    if not isinstance(node, ast.Call) or not called(node).startswith("conv"):
        return
    shapes = [shape_of(call, one) for one in node.args[:2]]
    match shapes:
        case [(n, *space, c), (*window, i, o)] if (
            value_of(call, node.func) is lax.conv_general_dilated
            and option(node, "dimension_numbers") is None
            and len(node.args) < 7
            and len(space) == len(window) == 2
            and c == i
        ):
            numbers = 'dimension_numbers=("NHWC", "HWIO", "NHWC")'
            same = [part.value for part in node.args if isinstance(part, ast.Constant)] == ["SAME"]
            one = _ones(node.args[2]) if len(node.args) > 2 else False
            shape = (n, *space, o) if same and one else None
            differs = (
                sentence("The result has the shape", shape=str(shape))
                if shape
                else sentence("The channels are the last")
            )
            new = with_option(call, node, numbers)
            yield edited(call, sentence("say that channels are last"), (node, new), differs=differs)
    if found and found[1]:
        yield sketch(sentence("make the channels equal", found=found[1], found2=found[3]))
    yield sketch(sentence("give the input as many"))


def _ones(node: ast.expr) -> bool:
    parts = getattr(node, "elts", [])
    return bool(parts) and all(isinstance(p, ast.Constant) and p.value == 1 for p in parts)


_STARTS = {"dynamic_update_slice": 2, "dynamic_slice": 1}
"""Functions of `lax` with start indices, and which argument these are."""


def update(call: FailedCall) -> Iterator[Mend]:
    """An update of a slice with other axes, another size, or too few indices."""
    text, node = message_of(call.error), call.node
    if not isinstance(node, ast.Call) or called(node) not in _STARTS:
        return
    indices = re.search(r"\((\d+) vs \(([\d, ]*)\)\)", text)
    given = node.args[_STARTS[called(node)]] if len(node.args) == 3 else None
    if indices and isinstance(given, ast.Tuple):
        rank = len([one for one in indices[2].split(",") if one.strip()])
        if len(given.elts) < rank:
            starts = [*map(call.text, given.elts), *["0"] * (rank - len(given.elts))]
            title = sentence("an index for each")
            yield edited(call, title, (given, f"({', '.join(starts)})"))
    shapes = re.findall(r"\(([\d, ]*)\)", text)
    if "rank" in text:
        yield sketch(sentence("give the update all axes"))
    elif "smaller" in text and len(shapes) == 2:
        yield sketch(sentence("give an update that is no larger", shapes=shapes[1]))


_TYPES = re.compile(r"(?:type=\w+|shape[=s]*)? ?[\[(]([\d, ]*)[\])]")


def set_value(call: FailedCall) -> Iterator[Mend]:
    """A value that is set at places of another shape."""
    match call.node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=ast.Attribute(attr="at")),
                attr="set" | "add" | "multiply" | "divide" | "power" | "min" | "max" as method,
            ),
            args=[value],
        ):
            shapes = shapes_in(message_of(call.error)) or [
                tuple(map(int, filter(str.strip, one.split(","))))
                for one in _TYPES.findall(message_of(call.error))
            ]
            if len(shapes) == 2:
                given, places = shapes
                if len(given) == 1 and len(places) == 2 and given[0] == places[0]:
                    text = f"{call.operand(value)}[:, None]"
                    differs = sentence("The value is a column")
                    yield edited(
                        call, sentence("a column of the value"), (value, text), differs=differs
                    )
                yield sketch(
                    sentence(
                        "method needs a value", method=method, places=str(places), given=str(given)
                    )
                )


def of_operation(call: FailedCall) -> Iterator[Mend]:
    """The fixes of these operations, for the one that failed."""
    for rule in (convolution, update, set_value):
        yield from rule(call)
