"""Turns the params of an eqn into text that is the same in every run and has neither secrets nor
the values of arrays, also where JAX's own printer writes them.

JAX prints a param by its `__repr__`. That of a partial shows all that it holds, that of a method
the object that it is bound to, that of a pytree the data of its nodes.
"""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn
from jax.tree_util import PyTreeDef

from jaxviz.capture.shown_values import DEPTH, is_librarys, readable
from jaxviz.capture.strings import looks_secret, name, names_secret, plain
from jaxviz.capture.structure import is_structural
from jaxviz.schema import Param

VALUE_LIMIT = 400

_PLAIN_JIT = re.compile(r"\(?((UnspecifiedValue|False|None|\w*Mesh\(\))( × \d+)?(, |,)?)*\)?")


def params_of(eqn: JaxprEqn, bodies: bool) -> list[Param]:
    """The params of an eqn, sorted by name. Left out are its bodies, what only says which operands
    these take, and params of a jit that say nothing, which JAX does not print either."""
    held = {key: value for key, value in eqn.params.items() if not is_structural(eqn, key)}
    params = [
        _param(key, held[key]) for key in sorted(held) if not (bodies and _is_body(held[key]))
    ]
    if eqn.primitive.name in ("jit", "pjit"):
        return [param for param in params if not _PLAIN_JIT.fullmatch(param.value)]
    return params


def _param(key: str, value: Any) -> Param:
    text = plain(readable(value, hidden=names_secret(key)))
    size = len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def _is_body(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(part is None or _is_body(part) for part in value)
    return isinstance(value, Jaxpr | ClosedJaxpr)


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
