"""Fixes for loops whose carry changes its type, and for branches that return other types."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import jax.numpy as jnp
import numpy as np

from jaxviz.capture.failure.array_type import ArrayType, Axes
from jaxviz.capture.failure.edits import SAME, Change, edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.placing import (
    called,
    cast,
    cast_number,
    converted,
    has_mesh,
    sizes_text,
    split_type,
)
from jaxviz.capture.failure.sides import Unlike, unlike_leaves
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend, Sentence
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import in_a_row, sentence

_PLACES = {
    "scan": ((0, "f"), (1, "init")),
    "while_loop": ((1, "body_fun"), (2, "init_val")),
    "fori_loop": ((2, "body_fun"), (3, "init_val")),
}
"""The place and the name of a loop's body and of its initial carry among its arguments."""


def carry(call: FailedCall) -> Iterator[Mend]:
    """The body returns another type than it gets, or no pair."""
    node = call.node
    if not isinstance(node, ast.Call) or called(node) not in _PLACES:
        return
    body, first = (_argument(node, *place) for place in _PLACES[called(node)])
    returned = _returned(call, body)
    if "must be a pair" in message_of(call.error) and returned is not None:
        text = call.text(returned)
        pair = f"({text}, None)" if isinstance(body, ast.Lambda) else f"{text}, None"
        title = sentence("return a pair the carry")
        differs = sentence("Beside the carry the loop")
        yield edited(call, title, (returned, pair), differs=differs)
        return
    if called(node) == "scan":
        returned = returned.elts[0] if isinstance(returned, ast.Tuple) else None
    leaves = [_kept(call, leaf, first, returned) for leaf in unlike_leaves(call.error)]
    known = [leaf for leaf in leaves if leaf is not None]
    if known and len(known) == len(leaves):
        edits = [change for changes, _ in known for change in changes]
        differs = in_a_row([differs for _, differs in known])
        yield edited(call, sentence("keep the type of the carry"), *edits, differs=differs)


def _kept(
    call: FailedCall, leaf: Unlike, first: ast.expr | None, returned: ast.expr | None
) -> tuple[list[Change], Sentence] | None:
    """The changes that make a leaf's types equal, without losing precision, and what differs
    then."""
    given, new = leaf.types
    start, end = _part(first, leaf.keys), _part(returned, leaf.keys)
    if given is None or new is None:
        return None
    if given.is_key or new.is_key:
        return _one_key(call, given, new, end)
    wider = _wider(given.dtype, new.dtype)
    differs = NOTHING
    if given.sizes != new.sizes:
        if not _reaches(given.shape, new.shape) or wider != new.dtype:
            return None
        differs = sentence("The loop starts with the shape", new=sizes_text(new))
    elif wider != given.dtype:
        differs = sentence("The loop starts with wider", wider=wider or "")
    elif wider != new.dtype:
        differs = sentence("What each step returns", wider=wider or "")
    split = new.split if any(new.split) and not any(given.split) else given.split
    if new.sums or not has_mesh(call, given, new):
        split = given.split
    wanted = new._replace(
        dtype=wider or "",
        split=split,
        varying=_together(given.varying, new.varying),
        sums=given.sums,
        memory=given.memory,
    )
    sides = ((start, given, cast_number), (end, new, cast))
    changes = [converted(call, node, own, wanted, write) for node, own, write in sides]
    made = [change for side in changes if side for change in side]
    return (made, differs) if None not in changes and made else None


def _one_key(
    call: FailedCall, given: ArrayType, new: ArrayType, end: ast.expr | None
) -> tuple[list[Change], Sentence] | None:
    """`split(key)[0]`, if the loop continues with all keys that `split` returns."""
    if given != new._replace(sizes=(), split=()) or not isinstance(end, ast.Call):
        return None
    if called(end) != "split" or len(end.args) != 1 or new.sizes != (2,):
        return None
    differs = sentence("The loop continues with the first")
    return [(end, f"{call.text(end)}[0]")], differs


def branches(call: FailedCall) -> Iterator[Mend]:
    """Branches return arrays of other dtypes, or placed in other ways: the narrower ones are cast,
    and the others placed alike."""
    node = call.node
    if not isinstance(node, ast.Call) or called(node) not in ("cond", "switch"):
        return
    leaves = [_alike(call, node, leaf) for leaf in unlike_leaves(call.error)]
    changes = [change for leaf in leaves for change in leaf or ()]
    if changes and None not in leaves:
        types = [leaf.types for leaf in unlike_leaves(call.error)]
        casts = any(one and two and one.dtype != two.dtype for one, two in types)
        differs = sentence("The result has that dtype") if casts else NOTHING
        title = sentence("cast to the other branch" if casts else "type of the other branch")
        yield edited(call, title, *changes, differs=differs)


def _alike(call: FailedCall, node: ast.Call, leaf: Unlike) -> list[Change] | None:
    """The changes that give both branches one type; None if there are none."""
    one, other = leaf.types
    if one is None or other is None or one.sizes != other.sizes or one.is_key or other.is_key:
        return None
    split = one.split if any(one.split) or not has_mesh(call, one, other) else other.split
    wanted = one._replace(
        dtype=_wider(one.dtype, other.dtype) or "",
        split=split,
        varying=_together(one.varying, other.varying),
        sums=(),
        memory="",
    )
    changes = []
    for which, own in ((leaf.path, one), (leaf.other, other)):
        part = _part(_returned(call, _branch(node, which)), leaf.keys)
        changes.append(converted(call, part, own, wanted, cast))
    made = [change for side in changes if side for change in side]
    return made if None not in changes and made else None


_ALONG = {"scan": (2, "xs"), "map": (1, "xs")}
"""The place and the name of what a loop goes along."""


def along_split_axis(call: FailedCall) -> Iterator[Mend]:
    """A loop goes along an axis that is split over a mesh: each step would be on another device."""
    node = call.node
    xs = _argument(node, *_ALONG[called(node)]) if called(node) in _ALONG else None
    yield from along_axis(
        call, xs.elts if isinstance(xs, ast.Tuple | ast.List) else [xs] if xs else []
    )


def along_axis(call: FailedCall, parts: Sequence[ast.expr]) -> Iterator[Mend]:
    """The arrays with their first axis on each device."""
    title = sentence("copy the array that the loop")
    types = [split_type(call, part) for part in parts]
    if len(types) == 1 and types[0] is None:
        types = [_type_of_message(message_of(call.error))]
    changes: list[Change] = []
    for part, own in zip(parts, types, strict=True):
        wanted = own and own._replace(split=((), *own.split[1:]))
        change = converted(call, part, own, wanted, cast) if own and wanted else None
        if change is None:
            yield sketch(title)
            return
        changes += change
    if changes:
        differs = sentence("Each device then has the whole")
        yield edited(call, title, *changes, differs=differs, promise=SAME)


def _type_of_message(text: str) -> ArrayType | None:
    """The type of an array that is split as JAX's message says: `Got P('d', None)`."""
    found = re.search(r"Got (?:P|PartitionSpec)\((.*)\)", text)
    entries = ast.literal_eval(f"[{found[1]}]") if found else []
    axes = [one if is_a(one, tuple) else (one,) if one else () for one in entries]
    return ArrayType("", (0,) * len(axes), tuple(axes), (), (), "") if axes else None


def _branch(node: ast.Call, which: str) -> ast.expr | None:
    number = re.fullmatch(r"branch ?(\d+)", which)
    if number is None:
        return _argument(node, 1 if which == "true_fun" else 2)
    listed = _argument(node, 1)
    return _part(listed, [int(number[1])])


def _argument(node: ast.Call, place: int, keyword: str = "") -> ast.expr | None:
    if place < len(node.args):
        return node.args[place]
    return next((option.value for option in node.keywords if option.arg == keyword), None)


def _returned(call: FailedCall, function: ast.expr | None) -> ast.expr | None:
    """What a function returns, where that is one expression of this source."""
    match function:
        case ast.Lambda(body=body):
            return body
        case ast.Name(id=name):
            kinds = (part for part in ast.walk(call.failed.tree()))
            made = [p for p in kinds if isinstance(p, ast.FunctionDef) and p.name == name]
            returns = [p for p in ast.walk(made[0]) if isinstance(p, ast.Return)] if made else []
            return returns[0].value if len(made) == len(returns) == 1 else None
    return None


def _part(node: ast.expr | None, keys: list[int | str]) -> ast.expr | None:
    """The part of a tuple, list or dict that keys lead to."""
    for key in keys:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if is_a(key, int):
                node = parts[key] if key < len(parts) else None
            case ast.Dict(keys=names, values=values):
                known = [getattr(name, "value", None) for name in names]
                node = values[known.index(key)] if key in known else None
            case _:
                return None
    return None if isinstance(node, ast.Starred) else node


def _reaches(shape: tuple[int, ...] | None, other: tuple[int, ...] | None) -> bool:
    """Whether one shape is broadcast to the other."""
    try:
        return (
            shape is not None and other is not None and np.broadcast_shapes(shape, other) == other
        )
    except ValueError:
        return False


def _wider(one: str, other: str) -> str | None:
    """The dtype to which JAX promotes both; of those that it does not promote, such as `int4`, a
    float or the one of more bits; None if there is none."""
    try:
        return str(jnp.promote_types(one, other))
    except TypeError:
        return None
    except ValueError:  # TypePromotionError
        first, second = _width(one), _width(other)
        return None if first == second else max(one, other, key=_width)


def _width(dtype: str) -> tuple[bool, int]:
    is_float = jnp.issubdtype(jnp.dtype(dtype), jnp.floating)
    return is_float, (jnp.finfo if is_float else jnp.iinfo)(dtype).bits


def _together(one: Axes, other: Axes) -> Axes:
    return tuple(dict.fromkeys((*one, *other)))
