"""Replaces params that JAX's printer must not print, since they may hold secrets or values.

JAX prints a param by its `__repr__`. That of a partial shows all that it holds, that of a method
the object that it is bound to, that of a pytree the data of its nodes.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.tree_util import PyTreeDef

from jaxviz.capture.secrets import looks_secret, names_secret
from jaxviz.capture.shown import DEPTH, is_librarys, readable

_SAFE: frozenset[type] = frozenset(
    (type(None), bool, int, float, complex, Jaxpr, ClosedJaxpr, FunctionType, BuiltinFunctionType)
)


class _Printed:
    """A stand-in for a value, which prints what may be shown of it."""

    __slots__ = ("text",)

    def __init__(self, value: Any) -> None:
        self.text = readable(value)

    def __repr__(self) -> str:
        return self.text


def printed(params: dict[str, Any]) -> dict[str, Any]:
    """The params, with a stand-in for each that must not be printed as it is."""
    held = {name: value for name, value in params.items() if not _is_safe(value, name)}
    return {**params, **{name: _Printed(value) for name, value in held.items()}} if held else params


def _is_safe(value: Any, name: str = "", depth: int = 0) -> bool:
    kind = type(value)
    if kind in _SAFE:
        return True
    if kind is str:
        return not (looks_secret(value) or names_secret(name))
    if depth > DEPTH:
        return False
    if kind in (tuple, list, set, frozenset):
        return all(_is_safe(part, name, depth + 1) for part in value)
    if kind is dict:
        return all(_is_safe(key) and _is_safe(value[key], str(key), depth + 1) for key in value)
    if isinstance(value, PyTreeDef):
        return _is_safe_tree(value)
    if issubclass(kind, partial) or not is_librarys(kind):
        return issubclass(kind, type)
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if field.repr]
        return all(_is_safe(getattr(value, field, None), field, depth + 1) for field in fields)
    return True


def _is_safe_tree(tree: Any) -> bool:
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        known = one.node_data()
        if known is not None and not _is_safe(known[1]):
            return False
        waiting += one.children()
    return True
