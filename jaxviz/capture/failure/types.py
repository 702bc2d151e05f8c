"""Infers types of arrays from expressions and variables, reads them from JAX's texts
(`float32[8@d,4]{V:d}`), and writes expressions with another type. Nothing is evaluated."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec, get_abstract_mesh
from msgspec.structs import replace

from jaxviz.capture.failure.failed_call import Change, FailedCall
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.shown.objects import attribute, is_a
from jaxviz.schema import Fix
from jaxviz.sentences import in_a_row, sentence

REDUCTIONS = ("sum", "mean", "max", "min", "prod", "std", "var")
ELEMENTWISE = (
    *("abs", "absolute", "cos", "cosh", "exp", "expm1", "log", "log1p", "negative", "reciprocal"),
    *("sign", "sin", "sinh", "sqrt", "square", "tan", "tanh"),
)
Shape = tuple[int, ...]


def type_of(node: ast.AST | None, variables: Mapping[str, Any]) -> jax.ShapeDtypeStruct | None:
    """Shape and dtype of an expression; None if they are uncertain."""
    try:
        return _type(node, variables)
    except (TypeError, ValueError):
        return None


def shape_of(call: FailedCall, node: ast.AST | None) -> Shape | None:
    """The shape of an expression; None if it is uncertain."""
    found = type_of(node, call.variables)
    return None if found is None else tuple(found.shape)


def is_scalar(call: FailedCall, node: ast.AST | None, kind: Any = np.generic) -> bool:
    """True for an expression that is surely a number of this kind."""
    found = type_of(node, call.variables)
    return found is not None and found.shape == () and jnp.issubdtype(found.dtype, kind)


def _type(node: ast.AST | None, variables: Mapping[str, Any]) -> jax.ShapeDtypeStruct | None:
    match node:
        case ast.Constant(value=bool() | int() | float() | complex() as value):
            return _weak(value)
        case ast.Name(id=name) if is_a(variables.get(name), jax.ShapeDtypeStruct):
            return variables[name]
        case ast.Name(id=name) if is_a(variables.get(name), jax.Array, np.ndarray):
            array = variables[name]
            return jax.ShapeDtypeStruct(array.shape, array.dtype, weak_type=_is_weak(array))
        case ast.Name(id=name) if is_a(variables.get(name), bool, int, float):
            return _weak(variables[name])
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _type(operand, variables)
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() | ast.Mult()):
            return _together(_type(left, variables), _type(right, variables))
        case ast.BinOp(left=left, right=right, op=ast.Div()):
            return _if_inexact(_together(_type(left, variables), _type(right, variables)))
        case ast.Call(func=ast.Attribute(value=array, attr=called), args=[], keywords=[]) if (
            called in REDUCTIONS
        ):
            own = _if_inexact(_type(array, variables))
            if own is not None:
                return jax.ShapeDtypeStruct((), own.dtype, weak_type=own.weak_type)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr=called), args=[one], keywords=[]
        ) if called in ELEMENTWISE:
            return _if_inexact(_type(one, variables))
    return None


def _weak(value: complex) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct((), jnp.result_type(type(value)), weak_type=not is_a(value, bool))


def _is_weak(array: Any) -> bool:
    return bool(attribute(attribute(array, "aval"), "weak_type", False))


def _if_inexact(found: jax.ShapeDtypeStruct | None) -> jax.ShapeDtypeStruct | None:
    return found if found is not None and jnp.issubdtype(found.dtype, jnp.inexact) else None


def _together(
    one: jax.ShapeDtypeStruct | None, other: jax.ShapeDtypeStruct | None
) -> jax.ShapeDtypeStruct | None:
    """The type of two operands that are broadcast and promoted."""
    if one is None or other is None:
        return None
    shape = np.broadcast_shapes(one.shape, other.shape)
    return jax.ShapeDtypeStruct(
        shape, jnp.result_type(one, other), weak_type=one.weak_type and other.weak_type
    )


def alike(one: jax.ShapeDtypeStruct | None, other: jax.ShapeDtypeStruct | None) -> bool:
    """True if a choice between both surely has the type of either. A Python number fits a scalar if
    it does not change its dtype."""
    if one is None or other is None or one.shape != other.shape:
        return False
    if one.dtype == other.dtype:
        return True
    return (one.weak_type or other.weak_type) and jnp.result_type(one, other) in (
        (one.dtype, other.dtype)[one.weak_type],
    )


_TYPE = re.compile(
    r"(?P<weak>~?)(?P<dtype>key<[^>]*>|[^\[\]<>]+)(?:<(?P<memory>[^<>]*)>)?\[(?P<sizes>[^\[\]]*)\]"
    r"(?:\{(?P<sets>[^{}]*)\})?(?:\(\{.*\}\))?"
)
"""A type as JAX 0.6.2 to 0.12.0 print it (`str_short_aval`). Few messages have the last part, the
kinds of the mesh's axes."""
_SET = re.compile(r"(\w+):(\([^()]*\)|[^,()]+)")
_SHORT = (
    (r"^(b?)float(?=[1-9])", r"\1f"),
    (r"^uint(?=\d)", "u"),
    (r"^int(?=\d)", "i"),
    (r"^complex(?=\d)", "c"),
)
_LONG = (
    (r"^(b?)f(?=\d)", r"\1float"),
    (r"^u(?=\d)", "uint"),
    (r"^i(?=\d)", "int"),
    (r"^c(?=\d)", "complex"),
)
Axes = tuple[str, ...]
"""Names of axes of a mesh."""


class ArrayType(NamedTuple):
    """The type of an array."""

    dtype: str
    """The whole name: `float32`, `key<fry>`."""
    sizes: tuple[int | str, ...]
    """A symbolic size is a text: `2*b`."""
    split: tuple[Axes, ...]
    """For each axis of the array those of the mesh that it is split over."""
    varying: Axes
    """Axes of the mesh along which the devices have different values, within `shard_map`."""
    sums: Axes
    """Unreduced and reduced axes, for sums over devices: `U:d`, `R:(a,b)`."""
    memory: str
    """`host`; empty for a device's own."""

    @property
    def is_key(self) -> bool:
        return self.dtype.startswith("key<")

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The sizes; None if one of them is symbolic."""
        sizes = tuple(size for size in self.sizes if is_a(size, int))
        return sizes if len(sizes) == len(self.sizes) else None


def array_type(text: str) -> ArrayType | None:
    """The parts of a type in either of JAX's forms, `float32[8]` and `f32[8]`; None for a type that
    is no array's: `Ref{float32[3]}`."""
    found = _TYPE.fullmatch(text)
    if found is None:
        return None
    parts = [part.partition("@") for part in _parts(found["sizes"])]
    sets = {kind: _axes(axes) for kind, axes in _SET.findall(found["sets"] or "")}
    return ArrayType(
        dtype=_renamed(found["dtype"], _LONG),
        sizes=tuple(int(size) if size.isdecimal() else size for size, _, _ in parts),
        split=tuple(_axes(axes) for _, _, axes in parts),
        varying=sets.pop("V", ()),
        sums=tuple(f"{kind}:{','.join(axes)}" for kind, axes in sets.items()),
        memory=found["memory"] or "",
    )


_WITHIN = re.compile(
    r"\b(?:(?:b?float|u?int|complex)\d\w*|bool|key<[^<>]*>)(?:<[^<>]*>)?\[[^\[\]]*\](?:\{[^{}]*\})?"
)


def types_in(text: str) -> list[ArrayType]:
    """The types of arrays in a message, `float32[4@d,3]`, whose sizes are numbers."""
    types = [array_type(found) for found in _WITHIN.findall(text)]
    return [one for one in types if one is not None and one.shape is not None]


def shapes_in(text: str) -> list[tuple[int, ...]]:
    """The shapes of these types."""
    return [one.shape for one in types_in(text) if one.shape is not None]


def tuples_in(text: str) -> list[tuple[int, ...]]:
    """The tuples of numbers in a message: `(2, 3)`, `(4,)`, `()`."""
    found = re.findall(r"\(((?:\d+, ?)*\d*,?)\)", text)
    return [tuple(int(part) for part in one.split(",") if part.strip()) for one in found]


def transposed(text: str) -> str:
    """The type of the transpose: `f32[4,8@d]` for `f32[8@d,4]`."""
    before, bracket, rest = text.partition("[")
    sizes, _, after = rest.partition("]")
    return f"{before}{bracket}{','.join([*_parts(sizes)][::-1])}]{after}"


def short(text: str) -> str:
    """A type as jaxprs print it, `f32[2,3]` for `float32[2,3]`; also a type within another one."""
    found = _TYPE.fullmatch(text)
    if found is None:
        return re.sub(r"(?<=\{)[^{}]+(?=\})", lambda inner: short(inner[0]), text)
    return f"{found['weak']}{_renamed(found['dtype'], _SHORT)}{text[found.end('dtype') :]}"


def _renamed(dtype: str, names: tuple[tuple[str, str], ...]) -> str:
    for pattern, new in names:
        dtype = re.sub(pattern, new, dtype)
    return dtype


def _parts(sizes: str) -> Iterator[str]:
    """The texts between commas, except within brackets: `8@(a,b)`, `max(b, 4)`."""
    depth, part = 0, ""
    for character in sizes:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += character
    if part.strip():
        yield part.strip()


def _axes(text: str) -> Axes:
    inside = text.removeprefix("(").removesuffix(")")
    return tuple(axis.strip() for axis in inside.split(",") if axis.strip())


Writer = Callable[[FailedCall, ast.expr, str], str]
"""Writes an expression in another dtype."""


def converted(
    call: FailedCall, node: ast.expr | None, own: ArrayType, wanted: ArrayType, cast: Writer
) -> list[Change] | None:
    """The change that gives an expression a type; empty if it has the type, None if no code for it
    is known."""
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
        makes = accepts_out_sharding(jnp.broadcast_to)
    if own.varying != wanted.varying:
        added = tuple(axis for axis in wanted.varying if axis not in own.varying)
        text, makes = _varying(call, text, added), False
    if split != wanted.split or own.sums != wanted.sums:
        text = _split(call, text, makes, placed(call, spec_text(call, wanted)))
    if own.memory != wanted.memory:
        space = "Host" if wanted.memory else "Device"
        text = f"{call.jax}.device_put({text}, {call.jax}.memory.Space.{space})"
    return [(node, text)]


def _varying(call: FailedCall, text: str, axes: tuple[str, ...]) -> str:
    """`pcast` exists from 0.8 on, `pvary` before."""
    if hasattr(lax, "pcast"):
        return f"{call.lax}.pcast({text}, {axes}, to='varying')"
    return f"{call.lax}.pvary({text}, {axes})"


def _split(call: FailedCall, text: str, makes: bool, spec: str) -> str:
    """A new array is made with the sharding; any other is resharded."""
    if makes:
        return f"{text[:-1].rstrip().removesuffix(',')}, out_sharding={spec})"
    return f"{call.jax}.{_public('reshard')}({text}, {spec})"


def _makes(call: FailedCall, node: ast.expr) -> bool:
    """True for a call of `jax.numpy` that makes a new array and does not place it."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=made), keywords=options):
            places = {"device", "out_sharding"} & {option.arg for option in options}
            is_maker = (
                made in ("zeros", "ones", "full", "empty") and call.variables.get(module) is jnp
            )
            return is_maker and not places and accepts_out_sharding(getattr(jnp, made))
    return False


def accepts_out_sharding(function: Callable[..., object]) -> bool:
    """JAX 0.6 has no such argument; a function of Python may have no signature."""
    try:
        return "out_sharding" in inspect.signature(function).parameters
    except ValueError:
        return False


def split_type(call: FailedCall, node: ast.expr) -> ArrayType | None:
    """The type of a variable's array; None if it is unknown."""
    array = call.variables.get(node.id) if isinstance(node, ast.Name) else None
    return array_type(aval_text(jax.typeof(array))) if is_a(array, jax.Array) else None


def keeps_split(call: FailedCall, name: str) -> str:
    """The argument that splits a new array like that of a name; empty if that is not split."""
    own = split_type(call, ast.Name(name))
    if own is None or not any(own.split) or get_abstract_mesh().empty:
        return ""
    return f", out_sharding={spec_text(call, own)}"


ASKS = sentence("JAX may ask next")


def is_split(call: FailedCall) -> bool:
    """True if a mesh is set, or if an array of the line, or of the call around it, is split."""
    if not get_abstract_mesh().empty:
        return True
    arrays = [*call.variables.maps[0].values(), *call.operands, *call.arguments.values()]
    types = [array_type(aval_text(jax.typeof(one))) for one in arrays if is_a(one, jax.Array)]
    return any(any(one.split) for one in types if one)


def asking_next(edit: Fix) -> Fix:
    """The fix, with a note on arrays that are split, unless it sets their sharding."""
    if not edit.lines or re.search(r"out_sharding=|reshard\(", "".join(edit.lines)):
        return edit
    return replace(edit, differs=in_a_row([edit.differs, ASKS]))


def has_mesh(call: FailedCall, one: ArrayType, other: ArrayType) -> bool:
    """True if both sides are on a mesh: without one a split changes no type. This is certain if
    only their split differs, or if a mesh is set."""
    return one._replace(split=()) == other._replace(split=()) or _is_set(call)


def _is_set(call: FailedCall) -> bool:
    found = re.search(r"\b(?:set_mesh|use_mesh)\(", call.source)
    return found is not None or not get_abstract_mesh().empty


def spec_text(call: FailedCall, wanted: ArrayType) -> str:
    """`P('d', None)`, with the user's name for `P`."""
    parts = [repr(axes[0] if len(axes) == 1 else axes or None) for axes in wanted.split]
    return f"{spec_name(call)}({', '.join(parts)})"


def spec_name(call: FailedCall) -> str:
    """`PartitionSpec` as the code spells it."""
    return call.module(PartitionSpec, f"{call.jax}.{_public('P', 'PartitionSpec')}")


def _public(*names: str) -> str:
    return names[0] if hasattr(jax, names[0]) else f"sharding.{names[-1]}"


def mesh_name(call: FailedCall) -> str:
    """The user's name of a mesh; empty if there is none."""
    return next((name for name, value in call.variables.items() if is_a(value, Mesh)), "")


def named_sharding(call: FailedCall, spec: str) -> str:
    made = call.module(NamedSharding, f"{call.jax}.{_public('NamedSharding')}")
    return f"{made}({mesh_name(call)}, {spec})"


def placed(call: FailedCall, spec: str) -> str:
    """A spec as an argument: with its mesh, unless a mesh is set."""
    return spec if _is_set(call) or not mesh_name(call) else named_sharding(call, spec)


def sizes_text(wanted: ArrayType) -> str:
    return f"({wanted.sizes[0]},)" if len(wanted.sizes) == 1 else repr(wanted.sizes)


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
