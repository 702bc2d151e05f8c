"""An eqn as the formulas see it: its op by one name in all stages, its params, its arrays."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

from jaxviz import schema


class Unknown(Exception):
    """A number that the records do not give."""


@dataclass(frozen=True)
class Value:
    """One array."""

    dtype: str
    shape: tuple[int | str, ...] | None

    @cached_property
    def size(self) -> int:
        """Elements. Raises Unknown where a dimension is symbolic or there is no shape."""
        return math.prod(self.dims)

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """Dimensions, all of them numbers. Raises Unknown for others."""
        if self.shape is None:
            raise Unknown
        dims = tuple(size for size in self.shape if isinstance(size, int))
        if len(dims) < len(self.shape):
            raise Unknown
        return dims

    @cached_property
    def complex(self) -> bool:
        return _COMPLEX.match(self.dtype) is not None

    @cached_property
    def floating(self) -> bool:
        """Of numbers with a fraction, complex ones included."""
        return self.complex or _FLOAT.match(self.dtype) is not None


_FLOAT = re.compile(r"float(?!0$)|bfloat|bf\d|f\d")
_COMPLEX = re.compile(r"complex|c\d")
_PART = re.compile(r"([a-z]\w*)\[([\d,<=]*)\]")


def values_of(aval: schema.Aval) -> list[Value]:
    """The arrays of an aval: one, or those of a tuple of optimized HLO."""
    if aval.kind != "tuple":
        return [Value(aval.dtype, None if aval.shape is None else tuple(aval.shape))]
    return [
        Value(dtype, tuple(int(size.lstrip("<=")) for size in dims.split(",") if size))
        for dtype, dims in _PART.findall(aval.text)
    ]


@dataclass(frozen=True)
class Applied:
    """An eqn with what its formula needs."""

    op: str
    """Its name in `jaxviz/ops`."""
    name: str
    params: dict[str, str]
    inputs: list[Value]
    outputs: list[Value]
    each: int | None
    """Flops of one run of the function that it applies to elements; None where it has none."""

    def input(self, index: int) -> Value:
        """Raises Unknown where there is none."""
        return _at(self.inputs, index)

    def output(self, index: int = 0) -> Value:
        """Raises Unknown where there is none."""
        return _at(self.outputs, index)

    def numbers(self, *names: str) -> list[int]:
        """The numbers in the first of these params that there is. Raises Unknown without any."""
        for name in names:
            if name in self.params:
                return numbers_in(self.params[name])
        raise Unknown


def _at(values: list[Value], index: int) -> Value:
    if index >= len(values):
        raise Unknown
    return values[index]


def numbers_in(text: str) -> list[int]:
    return [int(found) for found in _NUMBER.findall(text)]


_NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")
