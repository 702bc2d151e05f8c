"""Says what a name of the user's stands for while JAX traces: a traced value, an array that is
there, or a value of Python's. No code of the user's runs for this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from jaxviz.capture.avals import aval_text
from jaxviz.capture.shown_values import WIDEST, readable, sized
from jaxviz.capture.strings import name, names_secret, plain
from jaxviz.schema import Bound

_DEPTH = 3
"""Levels of tuples, lists and dicts of which the parts are shown."""


def bound(called: str, value: Any) -> Bound:
    """What is shown of a name and its value."""
    hidden = names_secret(called)
    return Bound(name=name(called), kind=_kind(value), text=plain(_text(value, hidden)))


def _kind(value: Any) -> str:
    leaves = [*_leaves(value)]
    for kind, types in (("traced", Tracer), ("array", jax.Array | np.ndarray)):
        if any(isinstance(leaf, types) for leaf in leaves):
            return kind
    return "static"


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    kind = type(value)
    if depth < _DEPTH and kind in (tuple, list, dict):
        for part in value.values() if kind is dict else value:
            yield from _leaves(part, depth + 1)
    else:
        yield value


def _text(value: Any, hidden: bool, depth: int = 0) -> str:
    kind = type(value)
    if isinstance(value, Tracer | jax.Array):
        aval = jax.typeof(value)
        return ("~" if getattr(aval, "weak_type", False) else "") + aval_text(aval)
    if depth >= _DEPTH or kind not in (tuple, list, dict):
        return readable(value, 1, hidden)
    if kind is dict:
        pairs = (
            f"{readable(key, 1)}: {_text(part, hidden, depth + 1)}" for key, part in value.items()
        )
        text = "{" + ", ".join(pairs) + "}"
    else:
        inner = ", ".join(_text(part, hidden, depth + 1) for part in value)
        text = f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
    return text if len(text) <= WIDEST else sized(value)
