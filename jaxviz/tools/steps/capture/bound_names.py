"""Finds what a user's name is bound to while JAX traces: a traced value, a concrete array, or a
Python value. No code of the user runs for this. For a pytree, such as a model, the arrays in its
attributes are found; for any other object, its type."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import jax
import numpy as np
from jax.core import Tracer
from jax.tree_util import all_leaves

from jaxviz.capture.jaxprs.avals import typed
from jaxviz.capture.jaxprs.walk import parts
from jaxviz.capture.shown.objects import FUNCTIONS, Types, inherits, is_a
from jaxviz.capture.shown.shown_values import WIDEST, readable, sized
from jaxviz.capture.shown.strings import name, names_secret, plain
from jaxviz.tools.steps.record import Bound

_DEPTH = 3
"""Levels of nested tuples, lists and dicts whose parts are shown."""
_MOST_LEAVES = 1_000
"""The most nested values that are examined."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))
_STATIC = (*_PLAIN, type, *FUNCTIONS.kinds, ModuleType, enum.Enum, np.generic, np.dtype)
_ARRAYS = (Tracer, jax.Array, np.ndarray)
_KINDS = (("traced", (Tracer,)), ("array", _ARRAYS))
_CONTAINERS = Types(tuple, list, dict)
_LEAVES = Types(*_PLAIN)


def bound(called: str, value: Any) -> Bound:
    """The shown text of a name and its value."""
    hidden = names_secret(called)
    return Bound(name=name(called), kind=_kind(value), text=plain(_text(value, hidden)))


def _kind(value: Any) -> str:
    leaves = _first_leaves(value)
    is_whole = len(leaves) < _MOST_LEAVES
    leaves = [*{id(type(leaf)): leaf for leaf in leaves}.values()]
    for kind, types in _KINDS:
        if any(is_a(leaf, *types) for leaf in leaves):
            return kind
    is_static = is_whole and all(is_a(leaf, *_STATIC) for leaf in leaves)
    return "static" if is_static else "object"


def _first_leaves(value: Any) -> list[Any]:
    return [*islice(_leaves(value), _MOST_LEAVES)]


def _leaves(value: Any) -> Iterator[Any]:
    """The values in tuples, lists, dicts and pytrees of other classes, each once. Such a pytree is
    a leaf itself as well, because it may contain more than its attributes show."""
    waiting, seen = [value], set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        kind = type(value)
        if kind in _LEAVES:
            yield value
        elif inherits(kind, dict):
            waiting.extend(islice(dict.values(value), _MOST_LEAVES))
        elif inherits(kind, tuple, list):
            base = tuple if inherits(kind, tuple) else list
            waiting.extend(islice(base.__iter__(value), _MOST_LEAVES))
        else:
            yield value
            if not is_a(value, *_STATIC) and not all_leaves([value]):
                waiting.extend(parts(value))


def _text(value: Any, hidden: bool, depth: int = 0) -> str:
    kind = type(value)
    if is_a(value, Tracer, jax.Array):
        return typed(jax.typeof(value))
    if kind not in _CONTAINERS:
        return readable(value, 1, hidden) + _with_arrays(value)
    if depth >= _DEPTH or len(value) > WIDEST:
        return sized(value)
    if kind is dict:
        pairs = (
            f"{readable(key, 1)}: {_text(part, hidden, depth + 1)}" for key, part in value.items()
        )
        text = "{" + ", ".join(pairs) + "}"
    else:
        inner = ", ".join(_text(part, hidden, depth + 1) for part in value)
        text = f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
    return text if len(text) <= WIDEST else sized(value)


def _with_arrays(value: Any) -> str:
    """The number of arrays in an object of another class, including traced ones: ` with 6 arrays`;
    empty if it has none, or too many to examine."""
    leaves = _first_leaves(value)
    count = sum(is_a(leaf, *_ARRAYS) for leaf in leaves)
    if is_a(value, *_ARRAYS) or count == 0 or len(leaves) == _MOST_LEAVES:
        return ""
    return f" with {count} array{'s' if count > 1 else ''}"
