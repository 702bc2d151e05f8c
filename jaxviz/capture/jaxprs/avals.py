"""Turns JAX's abstract values (avals) into records."""

from __future__ import annotations

import math
from typing import Any

import jax

from jaxviz.capture.shown.strings import name
from jaxviz.schema import Aval


class Avals:
    """The avals of a stage, each distinct aval once."""

    def __init__(self) -> None:
        self.records: list[Aval] = []
        self._by_identity: dict[int, tuple[Any, int]] = {}
        self._by_value: dict[tuple[Any, ...], int] = {}

    def index(self, aval: Any) -> int:
        """Index of the aval in `records`."""
        cached = self._by_identity.get(id(aval))
        if cached is not None:
            return cached[1]
        record = aval_record(aval)
        key = (record.text, record.kind, record.weak_type, record.sharding, record.memory)
        if key not in self._by_value:
            self._by_value[key] = len(self.records)
            self.records.append(record)
        self._by_identity[id(aval)] = (aval, self._by_value[key])
        return self._by_value[key]


def aval_record(aval: Any) -> Aval:
    """The record of an aval. An aval of an unknown kind has the text that JAX prints."""
    inner = getattr(aval, "inner_aval", aval)
    shape = getattr(inner, "shape", None)
    dtype = getattr(inner, "dtype", None)
    return Aval(
        text=name(aval_text(aval)),
        kind=_kind(aval, dtype),
        shape=None if shape is None else [dimension(size) for size in shape],
        dtype="" if dtype is None else name(str(dtype)),
        weak_type=bool(getattr(inner, "weak_type", False)),
        sharding=_sharding(inner),
        memory=_memory(aval),
        layout=None,
        bytes=_bytes(shape, dtype),
    )


def typed(aval: Any) -> str:
    """The aval's text, with `~` if its type is weak: `~f32[]`."""
    return ("~" if getattr(aval, "weak_type", False) else "") + aval_text(aval)


def aval_text(aval: Any) -> str:
    """The text that JAX prints: `f32[8,64]`."""
    try:
        return aval.str_short(short_dtypes=True)
    except (AttributeError, TypeError):
        return str(aval)


def _kind(aval: Any, dtype: Any) -> str:
    if hasattr(aval, "inner_aval"):
        return "ref"
    if type(aval).__name__ == "AbstractToken":
        return "token"
    if dtype is None or not hasattr(aval, "shape"):
        return "other"
    return "key" if jax.numpy.issubdtype(dtype, jax.dtypes.prng_key) else "array"


def dimension(size: Any) -> int | str:
    return size if isinstance(size, int) else name(str(size))


def _sharding(aval: Any) -> str | None:
    sharding: Any = getattr(aval, "sharding", None)
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or mesh.empty:
        return None
    return split_text(sharding.spec) or None


def split_text(spec: Any) -> str:
    """The spec's `spec_text`; empty if the spec splits nothing."""
    splits = any(_partitions(spec)) or any(getattr(spec, kind, ()) for kind in _SUMS)
    return name(spec_text(spec)) if splits else ""


def spec_text(spec: Any) -> str:
    """The text of a partition spec: `P('x', None, unreduced={'y'})`."""
    parts = [repr(axes) for axes in _partitions(spec)]
    for kind in _SUMS:
        if axes := sorted(map(repr, getattr(spec, kind, ()))):
            parts.append(f"{kind}={{{', '.join(axes)}}}")
    return f"P({', '.join(parts)})"


_SUMS = ("unreduced", "reduced")
"""A spec's attributes about sums over devices. Each is a set of axes."""


def _partitions(spec: Any) -> list[Any]:
    """The axes of each dimension. JAX does not iterate over a spec that has `_SUMS`."""
    return [*getattr(spec, "partitions", spec)]


def _memory(aval: Any) -> str | None:
    space = getattr(aval, "memory_space", None)
    if space is None or getattr(space, "name", "") == "Device":
        return None
    return name(str(space))


def _bytes(shape: Any, dtype: Any) -> int | None:
    if shape is None or dtype is None or not all(isinstance(size, int) for size in shape):
        return None
    return math.ceil(math.prod(shape) * _bits(dtype) / 8)


def _bits(dtype: Any) -> int:
    """The bits of one element on a device. NumPy's item size differs: its `int4` takes a byte."""
    if jax.numpy.issubdtype(dtype, jax.dtypes.prng_key):
        return dtype.itemsize * 8
    if dtype == jax.dtypes.float0:
        return 0
    if jax.numpy.issubdtype(dtype, jax.numpy.integer):
        return jax.numpy.iinfo(dtype).bits
    if jax.numpy.issubdtype(dtype, jax.numpy.floating):
        return jax.numpy.finfo(dtype).bits
    return dtype.itemsize * 8
