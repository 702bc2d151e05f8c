"""Turns JAX's abstract values (avals) into records."""

from __future__ import annotations

import math
from typing import Any

import jax

from jaxviz.capture.shown.strings import name
from jaxviz.schema import Aval


class Avals:
    """The avals of a stage. Each different aval is one record."""

    def __init__(self) -> None:
        self.records: list[Aval] = []
        self._by_identity: dict[int, tuple[Any, int]] = {}
        self._by_value: dict[tuple[Any, ...], int] = {}

    def index(self, aval: Any) -> int:
        """Index of the aval in `records`."""
        known = self._by_identity.get(id(aval))
        if known is not None:
            return known[1]
        record = aval_record(aval)
        key = (record.text, record.kind, record.weak_type, record.sharding, record.memory)
        if key not in self._by_value:
            self._by_value[key] = len(self.records)
            self.records.append(record)
        self._by_identity[id(aval)] = (aval, self._by_value[key])
        return self._by_value[key]


def aval_record(aval: Any) -> Aval:
    """The record of one aval. One of an unknown kind has the text that JAX prints."""
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
    """Its text with the mark of a weak type: `~f32[]`."""
    return ("~" if getattr(aval, "weak_type", False) else "") + aval_text(aval)


def aval_text(aval: Any) -> str:
    """As JAX prints it: `f32[8,64]`."""
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
    """As `spec_text`; empty where the spec splits nothing."""
    said = any(_partitions(spec)) or any(getattr(spec, kind, ()) for kind in _SUMS)
    return name(spec_text(spec)) if said else ""


def spec_text(spec: Any) -> str:
    """A partition spec: `P('x', None, unreduced={'y'})`."""
    said = [repr(axes) for axes in _partitions(spec)]
    for kind in _SUMS:
        if axes := sorted(map(repr, getattr(spec, kind, ()))):
            said.append(f"{kind}={{{', '.join(axes)}}}")
    return f"P({', '.join(said)})"


_SUMS = ("unreduced", "reduced")
"""What a spec says of sums over devices, each a set of axes."""


def _partitions(spec: Any) -> list[Any]:
    """JAX refuses to go through a spec that says something of sums, but has `partitions` there."""
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
    """The bits of one element on a device. NumPy's item size is not the same: its `int4` takes a
    byte."""
    if jax.numpy.issubdtype(dtype, jax.dtypes.prng_key):
        return dtype.itemsize * 8
    if dtype == jax.dtypes.float0:
        return 0
    if jax.numpy.issubdtype(dtype, jax.numpy.integer):
        return jax.numpy.iinfo(dtype).bits
    if jax.numpy.issubdtype(dtype, jax.numpy.floating):
        return jax.numpy.finfo(dtype).bits
    return dtype.itemsize * 8
