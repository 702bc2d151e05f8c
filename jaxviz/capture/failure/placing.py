"""Writes an expression of the user's with another type: its dtype, its place on a mesh."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec, get_abstract_mesh
from msgspec.structs import replace

from jaxviz.capture.failure.array_type import ArrayType, array_type
from jaxviz.capture.failure.edits import Change
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.sentences import in_a_row, sentence

Writer = Callable[[FailedCall, ast.expr, str], str]
"""Writes an expression in another dtype."""


def converted(
    call: FailedCall, node: ast.expr | None, own: ArrayType, wanted: ArrayType, cast: Writer
) -> list[Change] | None:
    """The change that gives an expression a type, empty if it has it; None where it is not known
    how to write that."""
    if own == wanted:
        return []
    if (
        node is None
        or (own.dtype and not wanted.dtype)
        or (wanted.sums and wanted.sums != own.sums)
    ):
        return None
    text = cast(call, node, wanted.dtype) if own.dtype != wanted.dtype else call.text(node)
    split = own.split if len(own.split) == len(wanted.split) else ((),) * len(wanted.split)
    makes = own.dtype == wanted.dtype != "" and _makes(call, node)
    if own.sizes != wanted.sizes:
        text = f"{call.jnp}.broadcast_to({text}, {sizes_text(wanted)})"
        makes = takes_out_sharding(jnp.broadcast_to)
    if own.varying != wanted.varying:
        added = tuple(axis for axis in wanted.varying if axis not in own.varying)
        text, makes = _varying(call, text, added), False
    if split != wanted.split or own.sums != wanted.sums:
        text = _split(call, text, makes, placed(call, spec_text(call, wanted)))
    if own.memory != wanted.memory:
        space = "Host" if wanted.memory else "Device"
        text = f"{jax_name(call)}.device_put({text}, {jax_name(call)}.memory.Space.{space})"
    return [(node, text)]


def _varying(call: FailedCall, text: str, axes: tuple[str, ...]) -> str:
    """`pcast` is there from 0.8 on, `pvary` before."""
    if hasattr(lax, "pcast"):
        return f"{call.lax}.pcast({text}, {axes}, to='varying')"
    return f"{call.lax}.pvary({text}, {axes})"


def _split(call: FailedCall, text: str, makes: bool, spec: str) -> str:
    """A new array is made split; another one is laid out anew."""
    if makes:
        return f"{text[:-1].rstrip().removesuffix(',')}, out_sharding={spec})"
    known = "reshard" if hasattr(jax, "reshard") else "sharding.reshard"
    return f"{jax_name(call)}.{known}({text}, {spec})"


def _makes(call: FailedCall, node: ast.expr) -> bool:
    """Whether it calls a function of `jax.numpy` that makes an array of nothing, and does not say
    where it is placed."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=made), keywords=options):
            said = {"device", "out_sharding"} & {option.arg for option in options}
            known = made in ("zeros", "ones", "full", "empty") and call.held.get(module) is jnp
            return known and not said and takes_out_sharding(getattr(jnp, made))
    return False


def takes_out_sharding(function: Callable[..., object]) -> bool:
    """JAX 0.6 has no such argument; a function of Python may have no signature."""
    try:
        return "out_sharding" in inspect.signature(function).parameters
    except ValueError:
        return False


def split_type(call: FailedCall, node: ast.expr) -> ArrayType | None:
    """The type of an array that the frame has under a name, or that it is made of; None if it is
    not known."""
    array = call.held.get(node.id) if isinstance(node, ast.Name) else None
    return array_type(aval_text(jax.typeof(array))) if is_a(array, jax.Array) else None


def keeps_split(call: FailedCall, name: str) -> str:
    """The argument that leaves a new array split as that of a name is; empty if it is not split."""
    own = split_type(call, ast.Name(name))
    if own is None or not any(own.split) or get_abstract_mesh().empty:
        return ""
    return f", out_sharding={spec_text(call, own)}"


ASKS = sentence("JAX may ask next")


def is_split(call: FailedCall) -> bool:
    """Whether an array of the line, or of those around it, is split over a mesh, or may be as one
    is set."""
    if not get_abstract_mesh().empty:
        return True
    arrays = [*call.held.maps[0].values(), *call.operands, *call.arguments.values()]
    types = [array_type(aval_text(jax.typeof(one))) for one in arrays if is_a(one, jax.Array)]
    return any(any(one.split) for one in types if one)


def asking_next(edit: Mend) -> Mend:
    """The fix, with what to expect of arrays that are split; unless it says how they are."""
    if not edit.lines or re.search(r"out_sharding=|reshard\(", "".join(edit.lines)):
        return edit
    return replace(edit, differs=in_a_row([edit.differs, ASKS]))


def has_mesh(call: FailedCall, one: ArrayType, other: ArrayType) -> bool:
    """Whether both sides are on a mesh: without one a split changes no type. It is sure where they
    differ in nothing else, or where a mesh is set."""
    if one._replace(split=()) == other._replace(split=()):
        return True
    return _is_set(call)


def _is_set(call: FailedCall) -> bool:
    """Whether a mesh is set."""
    known = re.search(r"\b(?:set_mesh|use_mesh)\(", call.failed.source)
    return known is not None or not get_abstract_mesh().empty


def spec_text(call: FailedCall, wanted: ArrayType) -> str:
    """`P('d', None)`, by the name that the user's code has for it."""
    public = "P" if hasattr(jax, "P") else "sharding.PartitionSpec"
    parts = (
        repr(axes) if len(axes) > 1 else repr(axes[0]) if axes else "None" for axes in wanted.split
    )
    return f"{call.module(PartitionSpec, f'{jax_name(call)}.{public}')}({', '.join(parts)})"


def spec_name(call: FailedCall) -> str:
    """How the reader's code names `PartitionSpec`."""
    return _known(call, jax.sharding.PartitionSpec, "P" if hasattr(jax, "P") else "")


def _known(call: FailedCall, kind: type, short: str) -> str:
    named = [name for name, value in call.held.items() if value is kind]
    module = call.module(jax, "jax")
    return named[0] if named else f"{module}.{short or f'sharding.{kind.__name__}'}"


def mesh_name(call: FailedCall) -> str:
    """The reader's name of a mesh; empty if there is none."""
    return next((name for name, value in call.held.items() if is_a(value, Mesh)), "")


def named_sharding(call: FailedCall, spec: str) -> str:
    short = "NamedSharding" if hasattr(jax, "NamedSharding") else ""
    return f"{_known(call, jax.sharding.NamedSharding, short)}({mesh_name(call)}, {spec})"


def placed(call: FailedCall, spec: str) -> str:
    """A spec as an argument: with its mesh, unless a mesh is set."""
    return spec if _is_set(call) or not mesh_name(call) else named_sharding(call, spec)


def sizes_text(wanted: ArrayType) -> str:
    return repr(wanted.sizes) if len(wanted.sizes) != 1 else f"({wanted.sizes[0]},)"


def jax_name(call: FailedCall) -> str:
    return call.module(jax, "jax")


def cast(call: FailedCall, node: ast.expr, dtype: str) -> str:
    return f"{call.operand(node)}.astype({call.jnp}.{dtype})"


def cast_number(call: FailedCall, node: ast.expr, dtype: str) -> str:
    """The start of a loop in another dtype; it may be a Python number."""
    match node:
        case ast.Call(func=ast.Attribute(attr=made), args=[one], keywords=[]) if re.fullmatch(
            r"u?int\d+|b?float\d+", made
        ):
            return f"{call.jnp}.{dtype}({call.text(one)})"
        case ast.Constant():
            return f"{call.jnp}.{dtype}({call.text(node)})"
    return f"{call.jnp}.asarray({call.text(node)}, {call.jnp}.{dtype})"


def called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))
