"""Computes numbers that differ if two of the user's values differ. No `__hash__` or `__eq__` of
them runs, and only a sample of a large value is read, so that some differences are missed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import islice
from types import MethodType
from typing import Any

import jax
import numpy as np

from jaxviz.capture.shown.objects import (
    FUNCTIONS,
    Types,
    class_attribute,
    compared_fields,
    inherits,
    is_a,
    is_class,
    is_generated,
    is_library_type,
    slots_of,
    vars_of,
)

PLAIN = Types(bool, int, float, complex, str, bytes, range)
_CONTAINERS = Types(tuple, list, frozenset, set, dict)
_TEXTS = Types(str, bytes)
_READ = 400
"""The limit of parts of a container that are read: the first ones, and some of the others."""
_PIECE, _PIECES = 1_000, 8
"""The length and the number of the pieces of a long string that are read."""
_DEPTH = 8


def hash_of(value: Any) -> int:
    """Equal for values that are equal to JAX. Of objects whose class defines `__eq__`, only the
    arrays count: their other fields have digests of their own."""
    return hash(_sample(value, [_READ], 0))


def digest(value: Any) -> int:
    """A number that differs for plain values, functions and classes that differ; 0 for other
    objects."""
    if type(value) in PLAIN:
        return hash((id(type(value)), _plain(value)))
    if type(value) in FUNCTIONS or is_class(value):
        return hash(("function", id(value)))
    return 0


def _plain(value: Any) -> Any:
    """A plain value, or pieces of a long string."""
    if type(value) not in _TEXTS or len(value) <= _PIECE * _PIECES:
        return value
    step = (len(value) - _PIECE) // (_PIECES - 1)
    return len(value), *(value[at * step : at * step + _PIECE] for at in range(_PIECES))


def _sample(value: Any, left: list[int], depth: int) -> Any:
    kind = type(value)
    if kind in PLAIN:
        return id(kind), _plain(value)
    if kind is MethodType:
        return id(value.__self__), id(value.__func__)
    if kind in _CONTAINERS:
        return _of_container(value, left, depth)
    if inherits(kind, Enum):
        member = vars_of(value).get("_name_")
        return "member", member if type(member) is str else ""
    hashed = class_attribute(kind, "__hash__")
    if hashed is tuple.__hash__:  # a named tuple
        return _of_parts(tuple.__iter__(value), tuple.__len__(value), left, depth)
    if is_generated(hashed):  # by a dataclass
        compared = compared_fields(kind) or ()
        fields = (*vars_of(value).items(), *slots_of(value))
        parts = [part for key, part in fields if key in compared]
        return _of_parts(parts, len(parts), left, depth)
    if kind in FUNCTIONS or is_class(value) or hashed is object.__hash__:
        return id(value)
    return _of_library_object(value) if is_library_type(kind) else _of_arrays(value)


def _of_container(value: Any, left: list[int], depth: int) -> Any:
    is_set = type(value) is set or type(value) is frozenset
    if is_set and len(value) > _READ:  # an equal set may have other parts first
        return len(value)
    parts = value.items() if type(value) is dict else value
    made = _of_parts(parts, len(value), left, depth)
    return frozenset(map(hash, made)) if is_set else made


def _of_parts(parts: Iterable[Any], size: int, left: list[int], depth: int) -> tuple[Any, ...]:
    """Samples of the first parts, and of as many of the others."""
    read = min(size, max(left[0], 0)) if depth < _DEPTH else 0
    left[0] -= read
    chosen = islice(parts, read) if read == size else _spread(parts, size, read)
    return size, *(_sample(part, left, depth + 1) for part in chosen)


def _spread(parts: Any, size: int, read: int) -> Iterable[Any]:
    if type(parts) not in (tuple, list):
        return islice(parts, read)
    half = read // 2
    step = max(size // half, 1) if half else size
    return [*parts[:half], *parts[half::step][:half]] if half else []


def _of_arrays(value: Any) -> tuple[Any, ...]:
    fields = islice((*vars_of(value).items(), *slots_of(value)), _READ)
    return tuple(_of_array(part) for _, part in fields if is_a(part, np.ndarray, jax.Array))


def _of_array(array: Any) -> Any:
    """A sample of a NumPy array's elements; the identity of a JAX array, whose values may not be
    computed yet."""
    if type(array) is not np.ndarray:
        return id(array)
    if array.dtype.hasobject:
        return array.shape
    step = max(array.size // _READ, 1)
    return array.shape, str(array.dtype), array.flat[::step].tobytes()


def _of_library_object(value: Any) -> Any:
    try:
        return hash(value)
    except Exception:
        return 0
