"""Says what a name of the user's stands for while JAX traces: a traced value, an array that is
there, or a value of Python's. No code of the user's runs for this, so that it is not known what an
object of theirs holds."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from itertools import islice
from types import ModuleType
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from jaxviz.capture.avals import aval_text
from jaxviz.capture.shown_values import FUNCTIONS, WIDEST, readable, sized
from jaxviz.capture.strings import name, names_secret, plain
from jaxviz.schema import Bound

_DEPTH = 3
"""Levels of tuples, lists and dicts of which the parts are shown."""
_MOST_LEAVES = 1_000
"""How many values in tuples, lists and dicts are looked at."""
_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis))
_STATIC = (*_PLAIN, type, FUNCTIONS, ModuleType, enum.Enum, np.generic, np.dtype)
_KINDS = (("traced", Tracer), ("array", (jax.Array, np.ndarray)))


def bound(called: str, value: Any) -> Bound:
    """What is shown of a name and its value."""
    hidden = names_secret(called)
    return Bound(name=name(called), kind=_kind(value), text=plain(_text(value, hidden)))


def _kind(value: Any) -> str:
    leaves = [*islice(_leaves(value), _MOST_LEAVES)]
    for kind, types in _KINDS:
        if any(isinstance(leaf, types) for leaf in leaves):
            return kind
    known = len(leaves) < _MOST_LEAVES and all(isinstance(leaf, _STATIC) for leaf in leaves)
    return "static" if known else "object"


def _leaves(value: Any) -> Iterator[Any]:
    """The values in tuples, named ones too, lists and dicts."""
    waiting, seen = [value], set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        if isinstance(value, dict):
            waiting.extend(dict.values(value))
        elif isinstance(value, tuple):
            waiting.extend(tuple.__iter__(value))
        elif isinstance(value, list):
            waiting.extend(list.__iter__(value))
        else:
            yield value
            continue
        seen.add(id(value))


def _text(value: Any, hidden: bool, depth: int = 0) -> str:
    kind = type(value)
    if isinstance(value, Tracer | jax.Array):
        aval = jax.typeof(value)
        return ("~" if getattr(aval, "weak_type", False) else "") + aval_text(aval)
    if kind not in (tuple, list, dict):
        return readable(value, 1, hidden)
    if depth >= _DEPTH:
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
