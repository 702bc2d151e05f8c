"""Fixes for loops and branches: Python's loops become loops of the program, a carry keeps its type,
and branches return one type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import ShapeDtypeStruct

from jaxviz.capture.failure.code import called, option, returned
from jaxviz.capture.failure.failed_call import SAME, Change, FailedCall, sketch
from jaxviz.capture.failure.sides import UnlikeLeaf, unlike_leaves
from jaxviz.capture.failure.types import (
    ArrayType,
    Axes,
    Shape,
    cast,
    cast_number,
    converted,
    has_mesh,
    sizes_text,
    split_type,
    type_of,
)
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix, Sentence
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import in_a_row, sentence

LONGEST_LINE = 100
NOTE = sentence("It cannot be differentiated")


class Loop(NamedTuple):
    """A loop whose body sets names and does nothing else."""

    body: list[ast.Assign | ast.AugAssign]
    carried: list[str]
    """Names that the body sets, and that were there before."""
    reads: str
    """The condition of a `while`, or the bounds of a `for`."""
    counter: str
    """The name that a `for` sets; empty for a `while`."""


def as_program_loop(call: FailedCall, owner: ast.While | ast.For) -> Fix | None:
    """The loop as `while_loop` or `fori_loop`; None if the result may differ."""
    loop = _loop(call, owner)
    if loop is None:
        return None
    kind = "while_loop" if isinstance(owner, ast.While) else "fori_loop"
    title = sentence("loop within the program", by=f"{call.lax}.{kind}")
    change = (owner, _written(call, owner, loop, f"{call.lax}.{kind}"))
    if _keeps_types(call, loop):
        return call.fix(title, change, differs=NOTE, promise=SAME)
    return call.fix(title, change, differs=in_a_row([sentence("Each name has to keep"), NOTE]))


def _loop(call: FailedCall, owner: ast.While | ast.For) -> Loop | None:
    function, reads = call.function, _reads(call, owner)
    body = [part for part in owner.body if isinstance(part, ast.Assign | ast.AugAssign)]
    if reads is None or owner.orelse or len(body) < len(owner.body) or function is None:
        return None
    targets = [part.target if isinstance(part, ast.AugAssign) else part.targets for part in body]
    if any(isinstance(part, ast.Attribute | ast.Subscript | ast.Starred) for part in _in(targets)):
        return None
    stored = dict.fromkeys(n.id for part in owner.body for n in _names_in(part, ast.Store))
    index = getattr(owner, "target", ast.Name("")).id
    existing = {parameter.arg for parameter in function.args.args} | {
        part.id for part in _names_in(function, ast.Store) if part.lineno < owner.lineno
    }
    carried = [name for name in stored if name in existing]
    own = {*stored, index} - {*carried}
    later = {
        part.id
        for part in _names_in(function, ast.Load)
        if part.lineno > (owner.end_lineno or owner.lineno)
    }
    whole = carried and not own & later and index not in stored
    return Loop(body, carried, reads, index) if whole else None


def _reads(call: FailedCall, owner: ast.While | ast.For) -> str | None:
    """The condition or the bounds as text; None if they are not plain."""
    match owner:
        case ast.While(test=test):
            odd = (ast.BoolOp, ast.NamedExpr, ast.Not)
            parts = [*ast.walk(test)]
            chained = any(isinstance(part, ast.Compare) and len(part.ops) > 1 for part in parts)
            plain = not chained and not any(isinstance(part, odd) for part in parts)
            return call.text(test) if plain else None
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=bounds), target=ast.Name()):
            texts = [call.text(bound) for bound in bounds]
            return ", ".join(["0", *texts][-2:]) if len(bounds) < 3 else None
    return None


def _written(call: FailedCall, owner: ast.While | ast.For, loop: Loop, function: str) -> str:
    """The loop as a call of a function of `lax`, on one line if it fits."""
    bare = len(loop.carried) == 1
    state = loop.carried[0] if bare else f"({', '.join(loop.carried)})"
    counter = f"{loop.counter}, " if loop.counter else ""
    match loop.body:
        case [ast.Assign(targets=[ast.Name()], value=value)] if bare:
            first = f"{loop.reads}, " if counter else f"lambda {state}: {loop.reads}, "
            line = (
                f"{state} = {function}({first}lambda {counter}{state}: {call.text(value)}, {state})"
            )
            if len(line) + owner.col_offset <= LONGEST_LINE and "\n" not in line:
                return line
    cond, body = _free(call, "cond"), _free(call, "body")
    parts = [] if counter else [*_function(cond, "", loop.carried, [f"return {loop.reads}"])]
    lines = [call.text(part) for part in loop.body]
    parts += _function(body, counter, loop.carried, [*lines, f"return {', '.join(loop.carried)}"])
    first = f"{loop.reads}, " if counter else f"{cond}, "
    parts.append(f"{', '.join(loop.carried)} = {function}({first}{body}, {state})")
    return f"\n{' ' * owner.col_offset}".join(parts)


def _function(name: str, counter: str, carried: list[str], lines: list[str]) -> Iterator[str]:
    """A function of the state, line by line."""
    if len(carried) == 1:
        yield f"def {name}({counter}{carried[0]}):"
    else:
        yield f"def {name}({counter}state):"
        yield f"    {', '.join(carried)} = state"
    yield from (f"    {line}" for line in lines)


def _keeps_types(call: FailedCall, loop: Loop) -> bool:
    """True if a step surely changes the type of no name."""
    before = {name: type_of(ast.Name(name, ast.Load()), call.variables) for name in loop.carried}
    types: dict[str, Any] = {**call.variables, **before}
    if loop.counter:
        types[loop.counter] = ShapeDtypeStruct((), jax.numpy.result_type(int))
    for part in loop.body:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                types[name] = type_of(value, types)
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                types[name] = type_of(whole, types)
            case _:
                return False
    return all(
        one is not None
        and after is not None
        and (one.shape, one.dtype) == (after.shape, after.dtype)
        for one, after in ((one, types[name]) for name, one in before.items())
    )


def _free(call: FailedCall, name: str) -> str:
    """A name that the function does not use."""
    return name if name not in call.names(call.function) else f"{name}_"


def _in(nodes: Sequence[Any]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from _in(node) if is_a(node, list) else ast.walk(node)


def _names_in(node: ast.AST, context: type[ast.expr_context]) -> list[ast.Name]:
    found = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return [part for part in found if isinstance(part.ctx, context)]


_PLACES = {
    "scan": ((0, "f"), (1, "init")),
    "while_loop": ((1, "body_fun"), (2, "init_val")),
    "fori_loop": ((2, "body_fun"), (3, "init_val")),
}
"""The place and the name of a loop's body and of its initial carry among its arguments."""


def carry(call: FailedCall) -> Iterator[Fix]:
    """The body's result has another type than its input, or is no pair."""
    node = call.node
    if called(node) not in _PLACES:
        return
    body, first = (_argument(node, *place) for place in _PLACES[called(node)])
    end = returned(call.function_of(body))
    if "must be a pair" in call.message and end is not None:
        text = f"{call.text(end)}, None"
        pair = f"({text})" if isinstance(body, ast.Lambda) else text
        yield call.fix("return a pair the carry", (end, pair), differs="Beside the carry the loop")
        return
    if called(node) == "scan":
        end = end.elts[0] if isinstance(end, ast.Tuple) else None
    leaves = [_of_one_type(call, leaf, first, end) for leaf in unlike_leaves(call.error)]
    changed = [leaf for leaf in leaves if leaf is not None]
    if changed and len(changed) == len(leaves):
        edits = [change for changes, _ in changed for change in changes]
        differs = in_a_row([differs for _, differs in changed])
        yield call.fix("keep the type of the carry", *edits, differs=differs)


def _of_one_type(
    call: FailedCall, leaf: UnlikeLeaf, first: ast.expr | None, last: ast.expr | None
) -> tuple[list[Change], Sentence] | None:
    """The changes that make a leaf's types equal without loss of precision, and the resulting
    difference."""
    before, new = leaf.types
    start, end = _part(first, leaf.keys), _part(last, leaf.keys)
    if before is None or new is None:
        return None
    if before.is_key or new.is_key:
        return _one_key(call, before, new, end)
    wider = _wider(before.dtype, new.dtype)
    differs = NOTHING
    if before.sizes != new.sizes:
        if not _reaches(before.shape, new.shape) or wider != new.dtype:
            return None
        differs = sentence("The loop starts with the shape", new=sizes_text(new))
    elif wider != before.dtype:
        differs = sentence("The loop starts with wider", wider=wider or "")
    elif wider != new.dtype:
        differs = sentence("What each step returns", wider=wider or "")
    split = new.split if any(new.split) and not any(before.split) else before.split
    if new.sums or not has_mesh(call, before, new):
        split = before.split
    wanted = new._replace(
        dtype=wider or "",
        split=split,
        varying=_together(before.varying, new.varying),
        sums=before.sums,
        memory=before.memory,
    )
    made = _all_of(
        converted(call, start, before, wanted, cast_number), converted(call, end, new, wanted, cast)
    )
    return (made, differs) if made else None


def _all_of(*sides: list[Change] | None) -> list[Change] | None:
    """The changes of both sides; None if a side cannot be changed, or none is."""
    made = [change for side in sides for change in side or ()]
    return made if made and None not in sides else None


def _one_key(
    call: FailedCall, before: ArrayType, new: ArrayType, end: ast.expr | None
) -> tuple[list[Change], Sentence] | None:
    """`split(key)[0]`, if the loop continues with all keys that `split` returns."""
    if before != new._replace(sizes=(), split=()) or not isinstance(end, ast.Call):
        return None
    if called(end) != "split" or len(end.args) != 1 or new.sizes != (2,):
        return None
    differs = sentence("The loop continues with the first")
    return [(end, f"{call.text(end)}[0]")], differs


def branches(call: FailedCall) -> Iterator[Fix]:
    """Branches return arrays whose dtypes or shardings differ: the narrower ones are cast, and all
    get one sharding."""
    if called(call.node) not in ("cond", "switch"):
        return
    leaves = [_alike(call, call.node, leaf) for leaf in unlike_leaves(call.error)]
    changes = [change for leaf in leaves for change in leaf or ()]
    if changes and None not in leaves:
        types = [leaf.types for leaf in unlike_leaves(call.error)]
        casts = any(one and two and one.dtype != two.dtype for one, two in types)
        differs = sentence("The result has that dtype") if casts else NOTHING
        title = sentence("cast to the other branch" if casts else "type of the other branch")
        yield call.fix(title, *changes, differs=differs)


def _alike(call: FailedCall, node: ast.Call, leaf: UnlikeLeaf) -> list[Change] | None:
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
    ends = (returned(call.function_of(_branch(node, name))) for name in (leaf.path, leaf.other))
    parts = [_part(end, leaf.keys) for end in ends]
    pairs = zip(parts, (one, other), strict=True)
    return _all_of(*(converted(call, part, own, wanted, cast) for part, own in pairs))


_ALONG = {"scan": (2, "xs"), "map": (1, "xs")}
"""The place and the name of the arrays over which a loop iterates."""


def along_split_axis(call: FailedCall) -> Iterator[Fix]:
    """A loop iterates over an axis that is split over a mesh: each step would be on another
    device."""
    node = call.node
    xs = _argument(node, *_ALONG[called(node)]) if called(node) in _ALONG else None
    several = isinstance(xs, ast.Tuple | ast.List)
    yield from along_axis(call, xs.elts if several else [xs] if xs else [])


def along_axis(call: FailedCall, parts: Sequence[ast.expr]) -> Iterator[Fix]:
    """The arrays with their first axis on each device."""
    title = sentence("copy the array that the loop")
    types = [split_type(call, part) for part in parts]
    if len(types) == 1 and types[0] is None:
        types = [_type_of_message(call.message)]
    changes: list[Change] = []
    for part, own in zip(parts, types, strict=True):
        wanted = own and own._replace(split=((), *own.split[1:]))
        change = converted(call, part, own, wanted, cast) if own and wanted else None
        if change is None:
            yield sketch(title)
            return
        changes += change
    if changes:
        yield call.fix(title, *changes, differs="Each device then has the whole", promise=SAME)


def _type_of_message(text: str) -> ArrayType | None:
    """The sharding of an array in JAX's message, as a type: `Got P('d', None)`."""
    found = re.search(r"Got (?:P|PartitionSpec)\((.*)\)", text)
    entries = ast.literal_eval(f"[{found[1]}]") if found else []
    axes = [one if is_a(one, tuple) else (one,) if one else () for one in entries]
    return ArrayType("", (0,) * len(axes), tuple(axes), (), (), "") if axes else None


def _branch(node: ast.Call, which: str) -> ast.expr | None:
    number = re.fullmatch(r"branch ?(\d+)", which)
    if number is None:
        return _argument(node, 1 if which == "true_fun" else 2)
    return _part(_argument(node, 1), [int(number[1])])


def _argument(node: ast.Call, place: int, keyword: str = "") -> ast.expr | None:
    if place < len(node.args):
        return node.args[place]
    return option(node, keyword)


def _part(node: ast.expr | None, keys: list[int | str]) -> ast.expr | None:
    """The part of a tuple, list or dict that keys lead to."""
    for key in keys:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if is_a(key, int):
                node = parts[key] if key < len(parts) else None
            case ast.Dict(keys=names, values=values):
                constants = [getattr(name, "value", None) for name in names]
                node = values[constants.index(key)] if key in constants else None
            case _:
                return None
    return None if isinstance(node, ast.Starred) else node


def _reaches(shape: Shape | None, other: Shape | None) -> bool:
    """True if one shape is broadcast to the other."""
    try:
        return None not in (shape, other) and np.broadcast_shapes(shape or (), other or ()) == other
    except ValueError:
        return False


def _wider(one: str, other: str) -> str | None:
    """The dtype to which JAX promotes both. Without promotion, as for `int4`, the float or the
    dtype with more bits; None if neither is wider."""
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
