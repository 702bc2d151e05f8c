"""The arrays that a program closes over, and how long they are held for its later stages.

A function that another one made, over an array of its own, may be dropped long before its program
is: as long as the program held the array, its memory could not be used for anything else. So a
program holds few bytes of such arrays, and of larger ones only weak references.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import jax
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.clone import exchanged
from jaxviz.capture.walk import walk

ROOM = 16 << 20
"""Bytes of closed-over arrays that a program holds."""


class ConstantGoneError(Exception):
    """An array that a program needs is there no more."""

    def __init__(self, size: int, text: str) -> None:
        super().__init__(
            f"An array of {size / (1 << 20):,.0f} MiB ({text}) that the function closed over is "
            f"gone, as jaxviz keeps only {ROOM >> 20} MiB of them: capture the call again with "
            "jaxviz.inspect(f, keep=True), or keep f and open this stage before f goes."
        )


class Weak:
    """Stands for an array that is not held."""

    __slots__ = ("_array", "_size", "_text")

    def __init__(self, array: Any) -> None:
        self._array = ref(array)
        self._size = size_of(array)
        self._text = f"{array.dtype}[{','.join(map(str, array.shape))}]"

    def array(self) -> Any:
        """The array. Raises ConstantGoneError where it is there no more."""
        array = self._array()
        if array is None or (isinstance(array, jax.Array) and array.is_deleted()):
            raise ConstantGoneError(self._size, self._text)
        return array


def held(closed: ClosedJaxpr, keep: bool) -> tuple[ClosedJaxpr, int]:
    """The program, that holds at most `ROOM` bytes of what it closes over, the smallest arrays
    first, and of the others weak references; itself where all of them fit, or with `keep`. And how
    many bytes it closes over."""
    found = walk(closed.jaxpr)
    consts = {**found.consts, **{id(const): const for const in closed.consts}}
    large, total = set[int](), 0
    for key in sorted(consts, key=lambda key: size_of(consts[key])):
        total += size_of(consts[key])
        if total > ROOM:
            large.add(key)
    if keep or not large:
        return closed, total
    return exchanged(closed, found, lambda one: Weak(one) if id(one) in large else one), total


def lent(const: Any) -> Any:
    """An array for JAX to lower, in place of one that is held or meant: the same memory as another
    object. What JAX makes of an array as it lowers it, a copy on the host, it keeps with the
    object. Raises ConstantGoneError where it is there no more."""
    array = const.array() if isinstance(const, Weak) else const
    if not isinstance(array, jax.Array):
        return array
    try:
        return jax.device_put(array, array.sharding)
    except Exception:
        return array


def size_of(array: Any) -> int:
    return getattr(array, "nbytes", 0)
