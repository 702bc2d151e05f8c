"""Decodes XLA's serialized messages with the protobuf runtime: modules, profiles and parts of both.
Makes avals of shapes.

An aval has XLA's text, such as `f32[8,64]`, and a layout, such as `{1,0}`.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.hlo.descriptor import FILE
from jaxviz.schema import Aval


def module_of(serialized: bytes) -> Any:
    """The `HloModuleProto`. It preserves fields that hlo.proto does not name."""
    return _message("HloModuleProto", serialized)


def profile_of(serialized: bytes) -> Any:
    """The `XSpace` that a profiler writes."""
    return _message("XSpace", serialized)


def module_in(serialized: bytes) -> bytes:
    """The serialized `HloModuleProto` in a file, which is such a module or an `HloProto`. Raises
    ValueError for another file."""
    with suppress(DecodeError):
        module = _message("HloProto", serialized).hlo_module
        if module.computations:
            return module.SerializeToString()
    with suppress(DecodeError):
        if module_of(serialized).computations:
            return serialized
    raise ValueError("it contains neither StableHLO nor HLO")


def op_name_of(metadata: bytes) -> str:
    """The name in a serialized `OpMetadata`."""
    return _message("OpMetadata", metadata).op_name.decode(errors="replace")


def is_scalar(shape: bytes) -> bool:
    """True if a serialized `ShapeProto` is that of one value."""
    read = _message("ShapeProto", shape)
    return not read.dimensions and not read.tuple_shapes


def _message(kind: str, serialized: bytes) -> Any:
    return _reader(kind)(serialized)


@cache
def _reader(kind: str) -> Callable[[bytes], Any]:
    found = _pool().FindMessageTypeByName(f"jaxviz.xla.{kind}")
    return GetMessageClass(found).FromString


@cache
def primitive_types() -> dict[int, str]:
    """XLA's names of element types (`f32`, `pred`, `tuple`) by their numbers."""
    found = _pool().FindEnumTypeByName("jaxviz.xla.PrimitiveType")
    return {value.number: value.name.lower().removesuffix("_type") for value in found.values}


@cache
def _pool() -> DescriptorPool:
    """A separate pool: the process's default pool may have another library's messages."""
    pool = DescriptorPool()
    pool.AddSerializedFile(base64.b64decode(FILE))
    return pool


_AVAL_KINDS = {"tuple": "tuple", "token": "token", "opaque": "other", "buffer": "ref"}
_LETTERS = {"s": "int", "u": "uint", "f": "float", "c": "complex", "bf": "bfloat"}


class Shapes:
    """The avals of a stage. Each shape with its sharding is one record."""

    def __init__(self) -> None:
        self.records: list[Aval] = []
        self._index: dict[tuple[bytes, str | None], int] = {}

    def index(self, shape: bytes, sharding: str | None) -> int:
        """The index in `records` of a serialized `ShapeProto` with a sharding. Adds a new one."""
        key = (shape, sharding)
        found = self._index.get(key)
        if found is None:
            found = self._index[key] = len(self.records)
            self.records.append(aval_of(_message("ShapeProto", shape), sharding))
        return found


def aval_of(shape: Any, sharding: str | None) -> Aval:
    """The aval of a `ShapeProto` and a sharding."""
    element = primitive_types().get(shape.element_type, "invalid")
    kind = _AVAL_KINDS.get(element, "array")
    space = shape.layout.memory_space
    return Aval(
        text=name(_text(shape, element)),
        kind=kind,
        shape=list(shape.dimensions) if kind == "array" else None,
        dtype=_dtype(element) if kind == "array" else "",
        weak_type=False,
        sharding=sharding,
        memory=f"S({space})" if space else None,
        layout=_layout(shape.layout) if kind == "array" and shape.dimensions else None,
        bytes=_bytes(shape, element),
    )


def _text(shape: Any, element: str) -> str:
    if element == "tuple":
        parts = (_text(part, primitive_types()[part.element_type]) for part in shape.tuple_shapes)
        return f"({', '.join(parts)})"
    if element == "buffer":
        (inner,) = shape.tuple_shapes
        return f"b({_text(inner, primitive_types()[inner.element_type])})"
    dynamic = shape.is_dynamic_dimension or [False] * len(shape.dimensions)
    sizes = zip(shape.dimensions, dynamic, strict=True)
    return f"{element}[{','.join(f'<={size}' if bound else str(size) for size, bound in sizes)}]"


def _layout(layout: Any) -> str:
    """The layout as XLA prints it: `{1,0:T(8,128)(2,1)E(4)S(1)}`."""
    tiles = "".join(f"({','.join(map(str, tile.dimensions))})" for tile in layout.tiles)
    extra = f"T{tiles}" if tiles else ""
    if layout.element_size_in_bits:
        extra += f"E({layout.element_size_in_bits})"
    if layout.memory_space:
        extra += f"S({layout.memory_space})"
    order = ",".join(map(str, layout.minor_to_major))
    return f"{{{order}:{extra}}}" if extra else f"{{{order}}}"


def _dtype(element: str) -> str:
    """The name in NumPy or ml_dtypes: `float32`, `float8_e4m3fn`."""
    if element == "pred":
        return "bool"
    found = re.fullmatch(r"([a-z]+)(\d+)(.*)", element)
    if found is None:
        return element
    letters, bits, rest = found.groups()
    return f"{_LETTERS[letters]}{bits}{'_' if rest else ''}{rest}"


def _bytes(shape: Any, element: str) -> int | None:
    """The bytes of a value; None if not known. Elements take whole bytes, unless the layout packs
    them."""
    if element == "token":
        return 0
    if element in ("tuple", "buffer"):
        parts = [_bytes(part, primitive_types()[part.element_type]) for part in shape.tuple_shapes]
        return sum(part for part in parts if part is not None) if None not in parts else None
    if element in ("opaque", "primitive_invalid"):
        return None
    found = re.search(r"\d+", element)
    bits = shape.layout.element_size_in_bits or max(8, int(found[0]) if found else 8)
    return math.ceil(math.prod(shape.dimensions) * bits / 8)
