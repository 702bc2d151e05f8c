"""What one device has of a value, known from the sizes of its part and of the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from jaxviz import schema


class Part(NamedTuple):
    """What one device has of a value."""

    value: str
    """The type of the whole value, after its name where it is an input of the program."""
    dims: tuple[int, ...]
    """The dimensions that are split along the axes."""
    part: int
    """How many places a device has of these dimensions."""
    of: int


def split(
    parts: Sequence[int], sizes: Sequence[int], value: str, dims: Sequence[int], devices: int
) -> Part | None:
    """Which of some dimensions are split, where as many devices as exchange have a part each."""
    if any(part < 1 or size % part for part, size in zip(parts, sizes, strict=True)):
        return None
    found = [at for at in range(len(dims)) if parts[at] < sizes[at]]
    part, size = (math.prod(of[at] for at in found) for of in (parts, sizes))
    if not found or part * devices != size:
        return None
    return Part(value, tuple(dims[at] for at in found), part, size)


def divides(local: schema.Aval, whole: schema.Aval) -> bool:
    """Whether each dimension of one value is a whole part of that of another."""
    here, there = shape(local), shape(whole)
    pairs = zip(here, there, strict=len(here) == len(there))
    return len(here) == len(there) > 0 and all(a > 0 and b % a == 0 for a, b in pairs)


def shape(aval: schema.Aval) -> list[int]:
    """The dimensions; none where they are not numbers."""
    return [one for one in aval.shape or [] if isinstance(one, int)]


def size(aval: schema.Aval, dims: Sequence[int]) -> int:
    """How many places there are in some dimensions; 0 where these are not known."""
    held = shape(aval)
    return math.prod(held[dim] if dim < len(held) else 0 for dim in dims)


def cut_along(piece: list[int], held: list[int], count: int) -> int | None:
    """Along which dimension a value is cut into so many pieces, as the partitioner writes it: that
    dimension is two in a piece, the first of which is 1. None where a piece is something else."""
    for dim, places in enumerate(held):
        if piece == [*held[:dim], 1, places // count, *held[dim + 1 :]] and places % count == 0:
            return dim
    return None
