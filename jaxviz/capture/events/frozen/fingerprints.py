"""Describes values so that a later change of them is found: in strings, numbers and weak
references. None of the user's code runs, and no array or object is retained.

- Plain values, members of an enum, dtypes, and tuples of them are compared by value and exact type.
- Functions and classes are compared by code, defaults and plain closure values, so that one that is
  defined again unchanged is equal.
- JAX arrays are compared by identity, since reading them may wait for a device. NumPy arrays up to
  64 kB are compared by a digest with a salt of this process.
- Lists, dicts and plain dataclasses are compared two levels deep.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import islice
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import ShapedArray

from jaxviz.capture.events.functions import hash_of_code, innermost
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.shown.objects import (
    Types,
    dataclass_fields,
    dtype_of,
    inherits,
    is_a,
    is_class,
    is_library_type,
    module_of,
    namespace_of,
    qualified_of,
    title_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import shown
from jaxviz.capture.weak import reference

MOST_LEAVES = 64
MOST_BYTES = 1_000
MOST_ARRAY_BYTES = 64_000
LEVELS = 2
_SALT = os.urandom(16)
_NUMBERS = Types(type(None), bool, int, float, complex)
_TEXTS = Types(str, bytes)
_SEQUENCES = Types(tuple, list)


class Fingerprint(NamedTuple):
    """The description of a value at one moment."""

    kind: str
    """`value`, `array`, `function`, `class`, or `parts` of a list, dict or dataclass."""
    key: Any
    """Equal if and only if values of this kind are equal: of strings and numbers only."""
    text: str
    """The value, or the type of an array."""
    thing: Callable[[], Any] = lambda: None
    """A weak reference to an array."""
    parts: dict[str, Fingerprint] | None = None
    """The parts of a dict or dataclass by path: `['lr']`, `.lr`."""


def fingerprint(value: Any, level: int = LEVELS) -> Fingerprint | None:
    """The description of a value; None if values like it are not compared."""
    plain = _plain(value, [MOST_LEAVES])
    if plain is not None:
        return Fingerprint("value", plain, shown(value))
    kind = type(value)
    if is_a(value, np.ndarray, jax.Array):
        return _of_array(value)
    if kind is FunctionType or kind is MethodType:
        return Fingerprint("function", _of_function(value), "")
    if is_class(value):
        return None if is_library_type(value) else Fingerprint("class", _of_class(value), "")
    if level > 0 and (kind in _SEQUENCES or kind is dict or _is_plain_dataclass(kind)):
        return _of_parts(value, level)
    inner = innermost(value)
    return Fingerprint("function", _of_function(inner), "") if type(inner) is FunctionType else None


def _plain(value: Any, left: list[int]) -> Any:
    """A key of a plain value; None for any other. `left` is the number of parts left to read."""
    kind = type(value)
    left[0] -= 1
    if left[0] < 0:
        return None
    if kind in _NUMBERS:
        if kind is int and value.bit_length() > 8 * MOST_BYTES:
            return None
        return title_of(kind), repr(value)
    if kind in _TEXTS:
        return (title_of(kind), value) if len(value) <= MOST_BYTES else None
    if kind is tuple:
        parts = tuple(_plain(part, left) for part in islice(value, MOST_LEAVES + 1))
        return None if None in parts else ("tuple", *parts)
    if inherits(kind, Enum):
        member = vars_of(value).get("_name_")
        return (module_of(kind), qualified_of(kind), member) if type(member) is str else None
    if inherits(kind, np.dtype) or (is_class(value) and inherits(value, np.generic)):
        return "dtype", np.dtype(value).str
    if is_library_type(kind) and not is_a(value, np.ndarray, jax.Array):
        return _scalar(value)
    return None


def _scalar(value: Any) -> Any:
    """A key of a NumPy scalar or of a dtype such as `jnp.float32`."""
    if isinstance(value, np.generic) and value.nbytes <= MOST_BYTES and not value.dtype.hasobject:
        return "scalar", value.dtype.str, value.tobytes()
    if is_class(value) or title_of(type(value)) == "_ScalarMeta":
        return "dtype", dtype_of(value)
    return None


def _of_array(value: Any) -> Fingerprint:
    shape, dtype = tuple(value.shape), str(value.dtype)
    digest = None
    if type(value) is np.ndarray and not value.dtype.hasobject and value.nbytes <= MOST_ARRAY_BYTES:
        digest = hashlib.blake2b(value.tobytes(), key=_SALT, digest_size=16).hexdigest()
    text = aval_text(ShapedArray(shape, value.dtype))
    return Fingerprint("array", (shape, dtype, digest), text, reference(value))


def _of_function(fun: Any) -> Any:
    if type(fun) is MethodType:
        fun = fun.__func__
    if type(fun) is not FunctionType:
        return "function", title_of(type(fun))
    defaults = (*(fun.__defaults__ or ()), *(fun.__kwdefaults__ or {}).values())
    closed = [_content(cell) for cell in (fun.__closure__ or ())[:MOST_LEAVES]]
    return hash_of_code(fun.__code__), _plain_parts(defaults), _plain_parts(closed)


def _plain_parts(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(_plain(value, [MOST_LEAVES]) for value in islice(values, MOST_LEAVES))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _of_class(kind: type) -> Any:
    """The methods of a class and its plain attributes."""
    members = islice(namespace_of(kind).items(), 200)
    own = ((key, part) for key, part in members if not key.startswith("__") or key == "__call__")
    return qualified_of(kind), *((key, _of_member(part)) for key, part in own)


def _of_member(part: Any) -> Any:
    inner = innermost(part) if not is_class(part) and callable(part) else part
    found = _plain(part, [MOST_LEAVES])
    return _of_function(inner) if type(inner) is FunctionType else found


def _is_plain_dataclass(kind: type) -> bool:
    return bool(dataclass_fields(kind)) and not is_library_type(kind)


def _of_parts(value: Any, level: int) -> Fingerprint | None:
    """The parts of a container; None if there are too many."""
    if type(value) in _SEQUENCES:
        if len(value) > MOST_LEAVES:
            return None
        parts = [fingerprint(part, level - 1) for part in value]
        keys = tuple(None if part is None else (part.kind, _identity(part)) for part in parts)
        return Fingerprint("parts", (title_of(type(value)), len(parts), keys), shown(value))
    if type(value) is dict:
        found = {f"[{shown(key)}]": part for key, part in value.items() if type(key) in _KEYS}
    else:
        fields = {field.name for field in dataclass_fields(type(value))}
        found = {f".{key}": part for key, part in vars_of(value).items() if key in fields}
    if len(found) > MOST_LEAVES:
        return None
    described = {key: fingerprint(part, level - 1) for key, part in found.items()}
    parts = {key: part for key, part in described.items() if part is not None}
    return Fingerprint("parts", title_of(type(value)), title_of(type(value)), parts=parts)


_KEYS = Types(str, int, bool)


def _identity(part: Fingerprint) -> Any:
    """A key of a part of a list."""
    if part.parts is not None:
        return tuple((key, _identity(one)) for key, one in part.parts.items())
    return part.key


class ChangedValue(NamedTuple):
    """A difference between two descriptions."""

    path: str
    kind: str
    """`value`, `array` (another object), `contents` (of a NumPy array), `function` or `class`."""
    before: str
    after: str


def changes(before: Fingerprint, after: Fingerprint, path: str = "") -> list[ChangedValue]:
    """The differences between two descriptions of a value. Parts that only one of them has are no
    difference."""
    if before.kind != after.kind:
        return [ChangedValue(path, "value", _shown(before), _shown(after))]
    if before.parts is not None and after.parts is not None:
        shared = [key for key in before.parts if key in after.parts]
        return [
            one
            for key in shared
            for one in changes(before.parts[key], after.parts[key], path + key)
        ]
    if before.kind == "array":
        return _changes_of_array(before, after, path)
    if before.key == after.key:
        return []
    kind = "value" if before.kind == "parts" else before.kind
    return [ChangedValue(path, kind, before.text, after.text)]


def _changes_of_array(before: Fingerprint, after: Fingerprint, path: str) -> list[ChangedValue]:
    if before.key[2] is not None and after.key[2] is not None:
        if before.key == after.key:
            return []
        kind = "contents" if before.key[:2] == after.key[:2] else "array"
    elif before.thing() is after.thing() and after.thing() is not None:
        return []
    else:
        kind = "array"
    return [ChangedValue(path, kind, before.text, after.text)]


def _shown(one: Fingerprint) -> str:
    return one.text or f"a {one.kind}"
