"""Decides what is shown of the user's values in logs, pictures and sentences.

- Plain small values are shown as they are: numbers, booleans, None, members of an enum, short
  strings such as `'train'`, short tuples of these.
- Functions and classes are shown by their name.
- A string that is long, looks like a key or is named like one is shown as its type and length.
- Any other object is shown as its type. If two of them are compared, `statics.py` finds the fields
  that differ.

No user code runs for this (`objects.py`), and a value of any size takes less than a millisecond.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterable
from functools import partial
from types import FunctionType, MethodType, WrapperDescriptorType
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.tree_util import DictKey, PyTreeDef

from jaxviz.capture.shown.objects import (
    FUNCTIONS,
    PARTIAL,
    Types,
    attribute,
    class_attribute,
    error_arguments,
    has_class_attribute,
    inherits,
    is_class,
    is_installed,
    is_library_type,
    title_of,
    vars_of,
)
from jaxviz.capture.shown.strings import (
    LONGEST_STRING,
    NAME_LIMIT,
    exact,
    looks_secret,
    name,
    names_secret,
    without_addresses,
)

WIDEST = 60
"""The limit of a value's text, in characters. Longer tuples, lists and dicts are shown as their
length."""
DEPTH = 8
_LEVELS = 200
_PARTS = 40
"""The limit of parts of a pytree node's static data that are shown."""
_MOST_PARTS = 500
"""The limit of parts of a value that are read, at all depths together."""
LONGEST_PARAM = 10_000
"""Longer strings are shown as their length, even in params of eqns."""
_DIGITS = 32
_COUNTED_BITS = 50_000
"""Digits of larger numbers are counted by the logarithm alone."""
_PLAIN = Types(type(None), bool, type(Ellipsis))
_NUMBERS = Types(int, float, complex)
_BYTES = Types(bytes, bytearray)
_SETS = Types(set, frozenset)
SEQUENCES = Types(tuple, list)
_SIZED = Types(tuple, list, set, frozenset, dict)
_UNITS = {"str": " characters", "int": " digits"}


def shown(value: Any, reading: Reading | None = None) -> str:
    """The text of a value, in at most 60 characters. Values that are shown together share one
    `reading`."""
    text = readable(value, 1, reading=reading)
    if len(text) <= WIDEST:
        return text
    return sized(value) if type(value) in _SIZED else name(text[: WIDEST - 1] + "…")


def sized(value: Any) -> str:
    """The type and length: `str of 51 characters`, `tuple of 40`."""
    title = title_of(type(value))
    size = _digits(value) if type(value) is int else len(value)
    return f"{title} of {size:,}{_UNITS.get(title, '')}"


def _digits(number: int) -> int:
    """The number of digits of an integer, with its sign. Python refuses to print more than a few
    thousand digits."""
    size, sign = abs(number), number < 0
    count = math.floor(math.log10(size)) + 1 if size else 1
    if size.bit_length() <= _COUNTED_BITS:
        count += (size >= 10**count) - (size < 10 ** (count - 1))
    return count + sign


def readable(
    value: Any, depth: int = 0, hidden: bool = False, reading: Reading | None = None
) -> str:
    """The text of a value, in one line. A string at `depth` 0, outside of any other value, has no
    quotes. `hidden` is True if the value is named like a secret."""
    try:
        return (reading or Reading()).text(value, depth, hidden)
    except Exception:  # JAX and NumPy may print parts that raise
        return type_name(value)


class Reading:
    """Reads values and their parts, up to a limit of parts."""

    def __init__(self, most: int = _MOST_PARTS) -> None:
        self._left = most

    def text(self, value: Any, depth: int, hidden: bool) -> str:
        kind = type(value)
        if kind is str:
            return _word(value, depth, hidden)
        if kind in _BYTES or (kind is int and value.bit_length() > 4 * _DIGITS):
            return sized(value)
        if kind is int:
            return sized(value) if abs(value) >= 10**_DIGITS else repr(value)
        if kind in _PLAIN or kind in _NUMBERS:
            return repr(value)
        if kind is range:
            return self._range(value)
        if depth > DEPTH:
            return "…"
        if kind in _SIZED:
            return self._container(value, depth, hidden)
        return self._object(value, depth)

    def _range(self, value: range) -> str:
        bounds = [value.start, value.stop, *([value.step] if value.step != 1 else [])]
        return f"range({', '.join(self.text(one, 1, False) for one in bounds)})"

    def _container(self, value: Any, depth: int, hidden: bool) -> str:
        self._left -= len(value)
        if self._left < 0:
            return sized(value)
        if type(value) is dict:
            return "{" + ", ".join(self._pairs(value.items(), ": ", depth, hidden)) + "}"
        parts = [self.text(part, depth + 1, hidden) for part in value]
        if type(value) in _SETS:
            return "{" + ", ".join(sorted(parts)) + "}"
        text = ", ".join(_runs(parts))
        if type(value) is list:
            return f"[{text}]"
        return f"({text},)" if len(parts) == 1 else f"({text})"

    def _object(self, value: Any, depth: int) -> str:
        kind = type(value)
        if inherits(kind, Jaxpr, ClosedJaxpr):
            return "{ lambda … }"
        if inherits(kind, enum.Enum):
            return _member(value)
        if kind in FUNCTIONS or inherits(kind, type, partial):
            return self._named(value)
        return self._of_library(value, depth) if is_library_type(kind) else type_name(value)

    def _named(self, value: Any) -> str:
        """The name of a function or class, or of the function that a partial calls."""
        for _ in range(DEPTH):
            kind = type(value)
            if inherits(kind, partial):
                value = PARTIAL["func"].__get__(value)
            elif kind is MethodType:
                value = value.__func__
            elif kind is FunctionType and "__wrapped__" in vars_of(value):
                value = vars_of(value)["__wrapped__"]
            else:
                break
        if is_class(value):
            return _short(title_of(value))
        if type(value) in FUNCTIONS:
            return _short(name(value.__name__))
        return self._of_library(value, 0) if is_library_type(type(value)) else type_name(value)

    def _of_library(self, value: Any, depth: int) -> str:
        """The text of a JAX or NumPy value. An array is shown as its type, never by its values."""
        if isinstance(value, np.void):
            return str(value.dtype)
        if isinstance(value, np.generic):
            plain = value.dtype.kind in "biufcUS"
            return self.text(value.item(), 1, False) if plain else str(value)
        if isinstance(value, np.dtype):
            return str(value)
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            return f"{value.dtype}[{','.join(map(str, value.shape))}]"
        function = attribute(attribute(value, "debug_info"), "func_name")
        if function is not None:
            return name(function)
        inner, called = attribute(value, "__wrapped__"), attribute(value, "__name__")
        if type(inner) in FUNCTIONS or type(called) is str:
            return _short(called if type(called) is str else "") or self._named(inner)
        if isinstance(value, PyTreeDef):
            return f"PyTreeDef({tree_text(value)})"
        return self._of_parts(value, depth)

    def _of_parts(self, value: Any, depth: int) -> str:
        """The fields of a JAX or NumPy object, or else its own text."""
        names = getattr(value, "_fields", None)
        if dataclasses.is_dataclass(value):
            fields = [
                (f.name, getattr(value, f.name, None)) for f in dataclasses.fields(value) if f.repr
            ]
        elif isinstance(value, tuple) and isinstance(names, tuple):
            fields = [*zip(names, value, strict=True)]
        else:
            text = " ".join(without_addresses(str(value)).split())
            return type_name(value) if looks_secret(text) else text
        return f"{type_name(value)}({', '.join(self._pairs(fields, '=', depth, False))})"

    def _pairs(
        self, pairs: Iterable[tuple[Any, Any]], between: str, depth: int, hidden: bool
    ) -> Iterable[str]:
        for key, value in pairs:
            bare = type(key) is str and between == "="
            named = key if bare else self.text(key, depth + 1, False)
            secret = hidden or (type(key) is str and names_secret(key))
            yield f"{named}{between}{self.text(value, depth + 1, secret)}"


def _word(text: str, depth: int, hidden: bool) -> str:
    """A string that may be shown, or its length. At `depth` 0 it is an eqn's param, a name or a
    format, and may be long."""
    longest = LONGEST_STRING if depth > 0 else LONGEST_PARAM
    if hidden or len(text) > longest or looks_secret(text):
        return sized(text)
    return text if depth == 0 else repr(text)


def _member(value: Any) -> str:
    """A member of an enum by its name, never by its value."""
    found = vars_of(value).get("_name_")
    return _short(found) if type(found) is str else type_name(value)


def _runs(parts: list[str]) -> list[str]:
    """The parts, with more than three equal parts in a row as a count: `None × 12`."""
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


def _short(text: str) -> str:
    """The name of a function, class or member, which may be any text."""
    return text if text.isidentifier() and not looks_secret(text) else _word(text, 0, False)


def tree_text(tree: Any, depth: int = 0) -> str:
    """A pytree's structure as JAX writes it. Static data of its nodes follows the rules of this
    file."""
    data = tree.node_data()
    if data is None:
        return "*"
    if depth > _LEVELS:
        return "…"
    kind, aux_data = data
    inner = [tree_text(child, depth + 1) for child in tree.children()]
    if kind is type(None):
        return "None"
    if kind is dict:
        pairs = (f"{readable(k, 1)}: {v}" for k, v in zip(aux_data, inner, strict=True))
        return "{" + ", ".join(pairs) + "}"
    text = ", ".join(inner)
    if kind is list:
        return f"[{text}]"
    if kind is tuple:
        return f"({text},)" if len(inner) == 1 else f"({text})"
    title = title_of(kind)
    is_named = has_class_attribute(kind, "_fields")
    title = f"namedtuple[{title}]" if is_named else f"{title}[{_aux_data_text(aux_data)}]"
    return f"CustomNode({title}, [{text}])"


def _aux_data_text(aux_data: Any) -> str:
    """The static data of a node. If the text is too long, the texts of its first `_PARTS` parts."""
    text = readable(aux_data, 1)
    if len(text) <= WIDEST or type(aux_data) not in SEQUENCES:
        return shown(aux_data)
    return f"({', '.join(shown(part) for part in aux_data[:_PARTS])})"


def path_text(keys: Iterable[Any]) -> str:
    """Like `jax.tree_util.keystr`, which prints the keys of dicts by their own `__repr__`."""
    return "".join(map(_step, keys))


def _step(key: Any) -> str:
    kind = type(key)
    if kind is not DictKey:
        return str(key) if is_library_type(kind) or is_installed(kind) else f"[{shown(key)}]"
    if type(key.key) is str:
        return f"[{key.key[:NAME_LIMIT]!r}]"
    return f"[{shown(key.key)}]"


_MESSAGE_LIMIT = 100_000


def message_of(error: BaseException) -> str:
    """The message of an exception. If its class or its arguments are the user's, it is made from
    the shown texts of the arguments."""
    kind, args = type(error), error_arguments(error)
    written = class_attribute(kind, "__str__")
    is_plain = all(type(one) is str or type(one) in _NUMBERS for one in args)
    is_pythons = type(written) is WrapperDescriptorType and is_plain
    if is_pythons or is_library_type(kind) or is_installed(kind):
        try:
            return str(error)[:_MESSAGE_LIMIT]
        except Exception:
            return ""
    if len(args) == 1 and inherits(type(args[0]), str):
        return exact(args[0])[:_MESSAGE_LIMIT]
    parts = [*map(shown, args[:_PARTS])]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})" if parts else ""


def type_name(value: Any) -> str:
    return name(title_of(type(value)))
