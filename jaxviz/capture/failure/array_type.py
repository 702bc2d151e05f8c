"""Reads the type of an array as JAX prints it: `float32[8@d,4]{V:d}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxviz.capture.shown.objects import is_a

_TYPE = re.compile(
    r"(?P<weak>~?)(?P<dtype>key<[^>]*>|[^\[\]<>]+)(?:<(?P<memory>[^<>]*)>)?\[(?P<sizes>[^\[\]]*)\]"
    r"(?:\{(?P<sets>[^{}]*)\})?(?:\(\{.*\}\))?"
)
"""JAX 0.6.2 to 0.12.0 print it so (`str_short_aval`). The last part, which kinds of axes the mesh
has, stands in few messages."""
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
        known = tuple(size for size in self.sizes if is_a(size, int))
        return known if len(known) == len(self.sizes) else None


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


def transposed(text: str) -> str:
    """The type of the transpose: `f32[4,8@d]` for `f32[8@d,4]`."""
    before, bracket, rest = text.partition("[")
    sizes, _, after = rest.partition("]")
    return f"{before}{bracket}{','.join([*_parts(sizes)][::-1])}]{after}"


def short(text: str) -> str:
    """A type as jaxprs print it, `f32[2,3]`, in place of `float32[2,3]`; one within another too."""
    found = _TYPE.fullmatch(text)
    if found is None:
        return re.sub(r"(?<=\{)[^{}]+(?=\})", lambda inner: short(inner[0]), text)
    return f"{found['weak']}{_renamed(found['dtype'], _SHORT)}{text[found.end('dtype') :]}"


def _renamed(dtype: str, names: tuple[tuple[str, str], ...]) -> str:
    for pattern, new in names:
        dtype = re.sub(pattern, new, dtype)
    return dtype


def _parts(sizes: str) -> Iterator[str]:
    """What commas separate, except within brackets: `8@(a,b)`, `max(b, 4)`."""
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
