"""Decides what is shown of a value of the user's, for logs, pictures and sentences alike.

- Plain small values are shown as they are: numbers, booleans, None, members of an enum, short
  strings such as `'train'`, short tuples of these.
- Functions and classes are shown by their name.
- A string that is long, looks like a key or is named as one is shown as its type and length.
- Any other object is shown as its type. Where two of them are compared, `statics.py` finds the
  fields that differ.

No code of the user's runs for this: no `__repr__`, `__eq__`, `__getattr__` or property.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.tree_util import PyTreeDef

from jaxviz.capture.shown.strings import (
    LONGEST_STRING,
    looks_secret,
    name,
    names_secret,
    without_addresses,
)

WIDEST = 60
"""How many characters the text of a value may have; larger tuples, lists and dicts are shown as
their length."""
DEPTH = 8
_LEVELS = 200
_PARTS = 40
"""How many parts of what a pytree's node holds beside arrays are shown."""
_DIGITS = 32
_PLAIN: frozenset[type] = frozenset((type(None), bool, type(Ellipsis), range))
_NUMBERS: frozenset[type] = frozenset((int, float, complex))
_SETS: frozenset[type] = frozenset((set, frozenset))
SEQUENCES: frozenset[type] = frozenset((tuple, list))
FUNCTIONS = FunctionType | MethodType | BuiltinFunctionType
_LIBRARIES = ("jax", "jaxlib", "numpy", "ml_dtypes")
CLASS_NAME: Any = type.__dict__["__name__"]
PARTIAL = partial.__dict__
"""The descriptors of a partial's `func`, `args` and `keywords`, so that a subclass of the user's
cannot intercept them."""


def shown(value: Any) -> str:
    """What the value is, in at most 60 characters."""
    text = readable(value, 1)
    kind = type(value)
    if len(text) <= WIDEST:
        return text
    return sized(value) if kind in SEQUENCES | _SETS | {dict} else name(text[: WIDEST - 1] + "…")


def sized(value: Any) -> str:
    """The type and length: `str of 51 characters`, `tuple of 40`."""
    unit = {str: " characters", int: " digits"}.get(type(value), "")
    size = len(repr(value)) if type(value) is int else len(value)
    return f"{type(value).__name__} of {size:,}{unit}"


def readable(value: Any, depth: int = 0, hidden: bool = False) -> str:
    """What the value is, in one line. A string at `depth` 0, not within another value, has no
    quotes. `hidden` says that the value is named as a secret."""
    kind = type(value)
    if kind is str:
        return _word(value, depth, hidden)
    if kind in (bytes, bytearray) or (kind is int and abs(value) >= 10**_DIGITS):
        return sized(value)
    if kind in _PLAIN or kind in _NUMBERS:
        return repr(value)
    if depth > DEPTH:
        return "…"
    if isinstance(value, Jaxpr | ClosedJaxpr):
        return "{ lambda … }"
    if issubclass(kind, enum.Enum):
        return _member(value)
    if kind in SEQUENCES or kind in _SETS:
        return _sequence(value, depth, hidden)
    if kind is dict:
        return "{" + ", ".join(_pairs(value.items(), ": ", depth, hidden)) + "}"
    if issubclass(kind, type) or isinstance(value, FUNCTIONS) or issubclass(kind, partial):
        return _named(value)
    if is_librarys(kind):
        return _of_library(value, depth)
    return type_name(value)


def _word(text: str, depth: int, hidden: bool) -> str:
    """A string that may be shown, or its length. At `depth` 0 it is the param of an eqn, a name or
    a format, and may be long."""
    if hidden or looks_secret(text) or (depth > 0 and len(text) > LONGEST_STRING):
        return sized(text)
    return text if depth == 0 else repr(text)


def _member(value: Any) -> str:
    """A member of an enum by its name, never by its value."""
    found = vars_of(value).get("_name_")
    return _short(found) if isinstance(found, str) else type_name(value)


def _sequence(value: Any, depth: int, hidden: bool) -> str:
    parts = [readable(part, depth + 1, hidden) for part in value]
    if type(value) in _SETS:
        return "{" + ", ".join(sorted(parts)) + "}"
    text = ", ".join(_runs(parts))
    if type(value) is list:
        return f"[{text}]"
    return f"({text},)" if len(parts) == 1 else f"({text})"


def _runs(parts: list[str]) -> list[str]:
    """The parts, with more than three equal ones in a row as a count: `None × 12`."""
    runs: list[tuple[str, int]] = []
    for part in parts:
        if runs and runs[-1][0] == part:
            runs[-1] = (part, runs[-1][1] + 1)
        else:
            runs.append((part, 1))
    return [
        text
        for part, count in runs
        for text in ([f"{part} × {count}"] if count > 3 else [part] * count)
    ]


def _pairs(
    pairs: Iterable[tuple[Any, Any]], between: str, depth: int, hidden: bool
) -> Iterable[str]:
    for key, value in pairs:
        named = key if type(key) is str and between == "=" else readable(key, depth + 1)
        secret = hidden or (type(key) is str and names_secret(key))
        yield f"{named}{between}{readable(value, depth + 1, secret)}"


def _named(value: Any) -> str:
    """The name of a function or class, or of the function that a partial calls."""
    for _ in range(DEPTH):
        kind = type(value)
        if issubclass(kind, partial):
            value = PARTIAL["func"].__get__(value)
        elif kind is MethodType:
            value = value.__func__
        elif kind is FunctionType and "__wrapped__" in vars_of(value):
            value = vars_of(value)["__wrapped__"]
        else:
            break
    if isinstance(value, type):
        return _short(CLASS_NAME.__get__(value))
    if isinstance(value, FUNCTIONS):
        return _short(value.__name__)
    return _of_library(value, 0) if is_librarys(type(value)) else type_name(value)


def _of_library(value: Any, depth: int) -> str:
    """A value whose type is JAX's or NumPy's. An array is shown as its type, never its values."""
    if isinstance(value, np.void):
        return str(value.dtype)
    if isinstance(value, np.generic):
        return readable(value.item(), 1) if value.dtype.kind in "biufcUS" else str(value)
    if isinstance(value, np.dtype):
        return str(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    function = getattr(getattr(value, "debug_info", None), "func_name", None)
    if function is not None:
        return name(function)
    inner = getattr(value, "__wrapped__", None)
    if isinstance(inner, FUNCTIONS) or isinstance(getattr(value, "__name__", None), str):
        return _short(getattr(value, "__name__", "")) or _named(inner)
    if isinstance(value, PyTreeDef):
        return f"PyTreeDef({tree_text(value)})"
    if dataclasses.is_dataclass(value):
        fields = [
            (f.name, getattr(value, f.name, None)) for f in dataclasses.fields(value) if f.repr
        ]
        return _record(type_name(value), fields, depth)
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and isinstance(names, tuple):
        return _record(type_name(value), zip(names, value, strict=True), depth)
    text = " ".join(without_addresses(str(value)).split())
    return type_name(value) if looks_secret(text) else text


def _record(title: str, fields: Iterable[tuple[str, Any]], depth: int) -> str:
    return f"{title}({', '.join(_pairs(fields, '=', depth, False))})"


def _short(text: str) -> str:
    """The name of a function, class or member, which anyone may have set to anything."""
    return text if text.isidentifier() and not looks_secret(text) else _word(text, 0, False)


def tree_text(tree: Any, depth: int = 0) -> str:
    """A pytree's structure as JAX writes it. What its nodes hold beside arrays is shown by the same
    rules."""
    known = tree.node_data()
    if known is None:
        return "*"
    if depth > _LEVELS:
        return "…"
    kind, held = known
    inner = [tree_text(child, depth + 1) for child in tree.children()]
    return _node(kind, held, inner)


def _node(kind: type, held: Any, inner: list[str]) -> str:
    if kind is type(None):
        return "None"
    if kind is dict:
        pairs = (f"{readable(k, 1)}: {v}" for k, v in zip(held, inner, strict=True))
        return "{" + ", ".join(pairs) + "}"
    text = ", ".join(inner)
    if kind is list:
        return f"[{text}]"
    if kind is tuple:
        return f"({text},)" if len(inner) == 1 else f"({text})"
    title = CLASS_NAME.__get__(kind)
    title = f"namedtuple[{title}]" if hasattr(kind, "_fields") else f"{title}[{_held(held)}]"
    return f"CustomNode({title}, [{text}])"


def _held(held: Any) -> str:
    """What a node holds beside arrays; if that is too long, its first `_PARTS` parts, each by
    itself."""
    text = readable(held, 1)
    if len(text) <= WIDEST or type(held) not in SEQUENCES:
        return shown(held)
    return f"({', '.join(shown(part) for part in held[:_PARTS])})"


def is_librarys(kind: type) -> bool:
    """Whether it is a type of JAX's own or NumPy's, whose text holds no values of arrays."""
    return kind.__module__.partition(".")[0] in _LIBRARIES


def vars_of(value: Any) -> dict[str, Any]:
    """The attributes in the object's own `__dict__`, read without running the user's code."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if type(found) is dict else {}


def type_name(value: Any) -> str:
    return name(CLASS_NAME.__get__(type(value)))
