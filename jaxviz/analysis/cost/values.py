"""An eqn as the formulas of `flops.py` read it, in the same form for all stages."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from jaxviz import schema

Kind = TypeVar("Kind", bound=schema.Record)


class Work(NamedTuple):
    """An amount of arithmetic."""

    flops: int
    transcendentals: int = 0
    least: bool = False
    """True if both are lower bounds."""

    def times(self, count: int) -> Work:
        return Work(self.flops * count, self.transcendentals * count, self.least)


class Unknown(Exception):
    """The records lack a number that a formula needs, so the cost is unknown."""


@dataclass(frozen=True)
class Value:
    """The type of one array."""

    dtype: str
    shape: tuple[int | str, ...] | None

    @cached_property
    def size(self) -> int:
        """The number of elements. Raises Unknown as `dims` does."""
        return math.prod(self.dims)

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """The dimensions. Raises Unknown if one is symbolic or there is no shape."""
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
        """True if the elements are floating-point numbers, including complex ones."""
        return self.complex or _FLOAT.match(self.dtype) is not None


_FLOAT = re.compile(r"float(?!0$)|bfloat|bf\d|f\d")
_COMPLEX = re.compile(r"complex|c\d")
_PART = re.compile(r"([a-z]\w*)\[([\d,<=]*)\]")


def values_of(aval: schema.Aval) -> list[Value]:
    """The arrays of an aval: one, or several if it is a tuple of optimized HLO."""
    if aval.kind != "tuple":
        return [Value(aval.dtype, None if aval.shape is None else tuple(aval.shape))]
    return [
        Value(dtype, tuple(int(size.lstrip("<=")) for size in dims.split(",") if size))
        for dtype, dims in _PART.findall(aval.text)
    ]


@dataclass(frozen=True)
class CostedEqn:
    """The properties of an eqn that a formula needs."""

    op: str
    """The name of its row in `jaxviz/ops`."""
    name: str
    params: dict[str, str]
    attributes: schema.Attributes | None
    inputs: list[Value]
    outputs: list[Value]
    each: Work | None
    """The cost of one run of the function that the eqn applies to elements, such as a reducer; None
    if it has no such function."""
    hlo: bool
    """True if this is an instruction of optimized HLO."""

    def input(self, index: int) -> Value:
        """The operand with an index. Raises Unknown if there is none."""
        return _at(self.inputs, index)

    def output(self, index: int = 0) -> Value:
        """The result with an index. Raises Unknown if there is none."""
        return _at(self.outputs, index)

    def attributes_as(self, kind: type[Kind]) -> Kind:
        """The attributes of the eqn. Raises Unknown unless they are of a kind."""
        if not isinstance(self.attributes, kind):
            raise Unknown
        return self.attributes

    def number(self, param: str) -> int:
        """The value of a param as a number. Raises Unknown if it is no number."""
        found = whole_number(self.params.get(param, ""))
        if found is None:
            raise Unknown
        return found


def _at(values: list[Value], index: int) -> Value:
    if index >= len(values):
        raise Unknown
    return values[index]


def whole_number(text: str) -> int | None:
    """The whole number that a text is; None if it is something else."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) <= 18 else None
