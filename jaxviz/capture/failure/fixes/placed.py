"""Fixes for arrays whose layout over devices does not fit: shardings that are part of the type,
specs of `shard_map`, and sizes that a mesh does not divide."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxviz.capture.failure.code import called, option, public_callees, strings
from jaxviz.capture.failure.failed_call import Change, FailedCall, otherwise, sketch
from jaxviz.capture.failure.fixes.loops import along_axis, along_split_axis
from jaxviz.capture.failure.sides import operand_type, parts_written, written_operands
from jaxviz.capture.failure.types import (
    ArrayType,
    accepts_out_sharding,
    array_type,
    cast,
    converted,
    mesh_name,
    named_sharding,
    placed,
    shape_of,
    spec_name,
)
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence

REPLICATED = sentence("The result is replicated")
_DOTS = ("dot", "matmul", "einsum", "tensordot", "vdot", "inner", "dot_general")


def sharding_type(call: FailedCall) -> Iterator[Fix]:
    """The operation with the sharding of its result, or an operand that is resharded."""
    text, node = call.message, call.node
    if "in_specs passed to shard_map" in text:
        yield from _as_specs(call, text)
        return
    if "of all xs should be replicated" in text:
        yield from along_split_axis(call)
        return
    match node:
        case ast.BinOp(left=one, right=other, op=ast.MatMult()):
            dot = f"{call.jnp}.matmul({call.text(one)}, {call.text(other)})"
            yield from _replicated(call, node, dot, _rank_of_product(call))
        case ast.BinOp():
            yield from _alike(call, node)
        case ast.Call() if called(node) in _DOTS and option(node, "out_sharding") is None:
            yield from _replicated(call, node, call.text(node), _rank_of_product(call))
        case ast.Subscript(value=ast.Name() as array) if (xs := _looped(call, array)) is not None:
            yield from along_axis(call, [array, xs])
        case ast.Subscript(value=array) if (own := sliced_type(text)) is not None:
            yield from _gathered(call, array, own)
        case ast.Subscript(value=array, slice=at):
            rank = _rank_of_indexed(call, array, at)
            indexed = f"{call.operand(array)}.at[{call.text(at)}].get()"
            yield from _replicated(call, node, indexed, rank)
        case ast.Call() if called(node) == "reshape":
            yield from _reshaped(call, node)
        case ast.Call() if called(node) == "with_sharding_constraint" and hasattr(jax, "reshard"):
            yield _constrained(call, node)
        case ast.Call() if not _accepts_out_sharding(call, node):
            yield from _whole(call, node)
            yield sketch("lay the operands out")
    yield sketch("say how the result is laid")


def _constrained(call: FailedCall, node: ast.Call) -> Fix:
    """`jax.reshard` in place of a constraint, which is for Auto axes. Within a jit whose arrays are
    on no mesh yet it is `jax.device_put`."""
    leaves = jax.tree.leaves([call.variables.get(name) for name in call.names(node)])
    types = [jax.typeof(one) for one in (*leaves, *call.operands) if is_a(one, Tracer)]
    alone = bool(types) and all(one.sharding.mesh.empty for one in types)
    other, option = ("device_put", "device") if alone else ("reshard", "out_shardings")
    named = [one for one in node.keywords if one.arg == "shardings"]
    changes = [(one, f"{option}={call.text(one.value)}") for one in named]
    title = sentence("jax.other as the axes", other=other)
    return call.fix(title, (node.func, f"{call.jax}.{other}"), *changes)


def _looped(call: FailedCall, array: ast.Name) -> ast.Name | None:
    """The same array as an argument of the scan around the line."""
    scans = [node for node in call.nodes if isinstance(node, ast.Call) and called(node) == "scan"]
    arguments = [one for node in scans for one in (*node.args[2:3], option(node, "xs"))]
    names = (one for one in arguments if isinstance(one, ast.Name))
    return next((one for one in names if one.id == array.id), None)


def _accepts_out_sharding(call: FailedCall, node: ast.Call) -> bool:
    """True for a function of JAX with this argument: `jnp.repeat`, and not `jnp.pad`."""
    function = call.value(node.func)
    named = [
        one.rpartition(".")[2] for one in public_callees(node, call.variables) if ".Array." in one
    ]
    function = getattr(jnp, named[0], None) if named else function
    return callable(function) and accepts_out_sharding(function)


def _whole(call: FailedCall, node: ast.Call) -> Iterator[Fix]:
    """`jnp.pad(jax.reshard(x, P(None)), 1)`: a call of JAX whose split operands are copied."""
    if not any(re.match(r"jax\..*\.", one) for one in public_callees(node, call.variables)):
        return
    changes: list[Change] = []
    for part in parts_written(node):
        own = array_type(operand_type(call, part))
        wanted = own and own._replace(split=((),) * len(own.sizes))
        changes += (own and wanted and converted(call, part, own, wanted, cast)) or []
    if changes:
        yield call.fix("copy the array to each", *changes, differs=REPLICATED)


def _replicated(call: FailedCall, node: ast.expr, text: str, rank: int | None) -> Iterator[Fix]:
    """A call with the sharding of its result: replicated, which is always possible."""
    if rank is None:
        return
    spec = placed(call, f"{spec_name(call)}({', '.join(['None'] * rank)})")
    joined = "" if text.endswith("()") else ", "
    new = f"{text[:-1]}{joined}out_sharding={spec})"
    yield call.fix("say how the result", (node, new), differs=REPLICATED)


def sliced_type(text: str) -> ArrayType | None:
    """The type of an array whose slice the mesh does not divide, in JAX's message."""
    found = re.search(r"^slicing on sharded dims .* Got input type=(\S+) and", text)
    return array_type(found[1]) if found else None


def _gathered(call: FailedCall, array: ast.expr, own: ArrayType) -> Iterator[Fix]:
    """`jax.reshard(x, P(None))[0]`"""
    wanted = own._replace(split=((),) * len(own.sizes))
    change = converted(call, array, own._replace(dtype=""), wanted._replace(dtype=""), cast)
    if change:
        yield call.fix("copy the array to each", *change, differs=REPLICATED)


def _rank_of_product(call: FailedCall) -> int | None:
    """The number of axes of a product of the operands; None if it is not known."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=str() as subscripts), *_]):
            found = re.fullmatch(r"[A-Za-z, ]*->([A-Za-z]*)", subscripts)
            return len(found[1]) if found else None
    ranks = [len(array.shape) for array in call.operands[:2]]
    if len(ranks) < 2:
        nodes = written_operands(call.node)
        bare = [
            one.value if isinstance(one, ast.Attribute) and one.attr == "T" else one
            for one in nodes
        ]
        ranks = [len(shape) for one in bare if (shape := shape_of(call, one)) is not None]
    if len(ranks) == 1 and len(written_operands(call.node)) == 2:
        ranks *= 2
    return max(0, sum(ranks) - 2) if len(ranks) == 2 and max(ranks) <= 2 else None


def _rank_of_indexed(call: FailedCall, array: ast.expr, at: ast.expr) -> int | None:
    """The number of axes of `array[at]`, for an index of the first axis."""
    one, index = shape_of(call, array), shape_of(call, at)
    return None if one is None or index is None else len(one) - 1 + len(index)


def _reshaped(call: FailedCall, node: ast.Call) -> Iterator[Fix]:
    match node:
        case ast.Call(func=ast.Attribute(value=of), args=[_, shape]) if call.value(of) is jnp:
            yield from _replicated(call, node, call.text(node), _rank_of_shape([shape]))
        case ast.Call(func=ast.Attribute(value=array), args=[*sizes], keywords=[]):
            alone = isinstance(sizes[0], ast.Tuple) if len(sizes) == 1 else False
            listed = ", ".join(map(call.text, sizes))
            shape = listed if alone else f"({listed},)" if len(sizes) == 1 else f"({listed})"
            text = f"{call.jnp}.reshape({call.text(array)}, {shape})"
            yield from _replicated(call, node, text, _rank_of_shape(sizes))


def _rank_of_shape(sizes: list[ast.expr]) -> int | None:
    match sizes:
        case [ast.Tuple(elts=parts)]:
            return len(parts)
        case [ast.Constant(), *_]:
            return len(sizes)
    return None


def _alike(call: FailedCall, node: ast.BinOp) -> Iterator[Fix]:
    """The second operand with the sharding of the first."""
    one = getattr(jax.typeof(call.operands[0]), "sharding", None) if call.operands else None
    left = call.variables.get(node.left.id) if isinstance(node.left, ast.Name) else None
    spec = getattr(one if left is None else jax.typeof(left).sharding, "spec", None)
    if spec is not None and hasattr(jax, "reshard"):
        entries = ", ".join(map(_entry, spec))
        where = placed(call, f"{spec_name(call)}({entries})")
        text = f"{call.jax}.reshard({call.text(node.right)}, {where})"
        yield call.fix("give the second the sharding", (node.right, text))


def _entry(one: Any) -> str:
    if is_a(one, tuple):
        return f"({', '.join(map(_entry, one))},)"
    return "None" if one is None else f'"{one}"'


@otherwise("lay the argument out")
def _as_specs(call: FailedCall, text: str) -> Iterator[Fix]:
    """The argument of `shard_map` with the sharding of `in_specs`."""
    wanted = re.search(r"shard_map: P(?:artitionSpec)?\(([^()]*)\) does not match", text)
    node = call.node
    if wanted and mesh_name(call) and isinstance(node, ast.Call) and len(node.args) == 1:
        entries = re.sub(r"(, *None)+$|,$", "", wanted[1]).replace("'", '"')
        placed = named_sharding(call, f"{spec_name(call)}({entries})")
        new = f"{call.jax}.device_put({call.text(node.args[0])}, {placed})"
        yield call.fix("lay the argument out first", (node.args[0], new))


def specs(call: FailedCall) -> Iterator[Fix]:
    """A spec that does not fit the mesh, or the argument."""
    text = call.message
    uneven, ranks = _uneven(text), _RANKS.search(text)
    if uneven:
        yield uneven
    elif "duplicate entries" in text:
        yield from _once(call)
    elif ranks or "too long" in text:
        yield from _shorter(call, int(next(filter(None, ranks.groups()))) if ranks else 0)
        yield sketch("give a spec at most")
    elif "require replication" in text:
        yield sketch("combine the parts with jax.lax.pmean")
    elif "pytree" in text:
        yield sketch("give one spec for each")
    else:
        yield from on_mesh(
            call, [name for node in call.calls(PartitionSpec) for name in strings(node)]
        )


_RANKS = re.compile(
    r"(?s)has length \d+, but .* has rank (\d+)|rank at least \d+, .* of rank (\d+)"
    r"|equal to aval's ndim \((\d+)\)|^\((\d+), P"
)
"""JAX's messages for a spec with more entries than an array has axes (its rank)."""


def _shorter(call: FailedCall, rank: int) -> Iterator[Fix]:
    """A spec without the entries for missing axes. Within `shard_map` these must be None: any other
    entry changes the function's inputs."""
    written = [node for node in call.calls(PartitionSpec) if len(node.args) > rank]
    for node in written if len(written) == 1 else ():
        named = [one for one in node.args if not _is_none(one)]
        entries = node.args[:rank] if not all(map(_is_none, node.args[:rank])) else named[:rank]
        lost = any(one not in entries for one in named)
        if not lost or "shard_map" not in call.message:
            listed = ", ".join(map(call.text, entries))
            differs = sentence("It is split over", listed=listed) if lost else NOTHING
            new = f"{call.text(node.func)}({listed})"
            yield call.fix("one entry for each", (node, new), differs=differs)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


@otherwise("name each axis of the mesh")
def _once(call: FailedCall) -> Iterator[Fix]:
    """A spec that has an axis of the mesh twice: the only unused axis in its place, or None."""
    named = [
        (node, [str(name.value) for name in strings(node)]) for node in call.calls(PartitionSpec)
    ]
    twice = [(node, names) for node, names in named if len({*names}) < len(names)]
    for node, names in twice if len(twice) == 1 else ():
        free = [axis for axis in mesh_axes(call) if axis not in names]
        again = [one for n, one in enumerate(strings(node)) if one.value in names[:n]]
        if all(one in node.args for one in again):
            alone = len(free) == len(again) == 1
            changes = [call.quoted(n, free[0]) if alone else (n, "None") for n in again]
            placed = call.value(getattr(call.node, "func", None)) is NamedSharding
            differs = NOTHING if placed else sentence("Each device gets a larger")
            key, parts = (
                ("the other axis of the mesh", {"free": free[0]})
                if alone
                else ("each axis once", {})
            )
            yield call.fix(sentence(key, **parts), *changes, differs=differs)


def placement(call: FailedCall) -> Iterator[Fix]:
    """Arrays that a mesh does not divide, or that are on other devices."""
    uneven = _uneven(call.message)
    if uneven:
        yield uneven
    elif called(call.node) == "device_put":
        yield sketch("give a sharding that has an entry")


_UNEVEN = (
    re.compile(
        r"axis (?P<axis>\d+) is partitioned (?P<parts>\d+) times, but (?:does not evenly divide )?"
        r"the dimension size (?:is )?(?P<size>\d+)"
    ),
    re.compile(
        r"dimension (?P<axis>\d+) should be divisible by (?P<parts>\d+), but it is equal to "
        r"(?P<size>\d+)"
    ),
    re.compile(
        r"axis (?P<axis>\d+) \(of size (?P<size>\d+)\) to mesh axis .*?\(of size (?P<parts>\d+)\)"
    ),
)
"""JAX's messages for an axis that a mesh does not divide."""


def _uneven(text: str) -> Fix | None:
    """Advice: the size to which to pad an axis, and the numbers of devices that divide it."""
    for pattern in _UNEVEN:
        found = pattern.search(text)
        if found:
            size, parts = int(found["size"]), int(found["parts"])
            padded = math.ceil(size / parts) * parts
            fewer = [str(n) for n in range(2, parts) if size % n == 0]
            sizes = {"axis": found["axis"], "size": str(size), "padded": str(padded)}
            return sketch(
                sentence("pad an axis, or split it", fewer=" or ".join(fewer), **sizes)
                if fewer
                else sentence("pad an axis", **sizes)
            )
    return None


def mesh_axes(call: FailedCall) -> list[str]:
    """The axes of the meshes in the expression, or else of all meshes among the variables."""
    named = {name: value for name, value in call.variables.items() if is_a(value, Mesh)}
    meshes = [named[name] for name in call.names(call.node) if name in named] or named.values()
    return [*dict.fromkeys(str(axis) for mesh in meshes for axis in mesh.axis_names)]


def on_mesh(call: FailedCall, names: list[ast.Constant]) -> Iterator[Fix]:
    """The only axis of the mesh, or the one with a similar name, for names that the mesh does not
    have."""
    axes = mesh_axes(call)
    wrong = [one for one in names if one.value not in axes]
    found = [axes if len(axes) == 1 else get_close_matches(str(n.value), axes, 2) for n in wrong]
    if wrong and all(len(alike) == 1 for alike in found):
        new = [alike[0] for alike in found]
        changes = [call.quoted(n, name) for n, name in zip(wrong, new, strict=True)]
        listed = ", ".join(dict.fromkeys(new))
        yield call.fix(sentence("the axis that the mesh", listed=listed), *changes)
    else:
        yield sketch(
            sentence("name an axis, listed", names=", ".join(axes))
            if axes
            else sentence("name an axis that the mesh")
        )
