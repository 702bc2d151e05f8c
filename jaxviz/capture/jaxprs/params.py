"""Turns an eqn's params into text that is equal in every run, without secrets or values of arrays.

JAX prints a param with its `__repr__`. The repr of a partial contains its arguments, that of a
method its object, and that of a pytree the data of its nodes. So JAX's printer gets stand-ins.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Hashable
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal
from jax.tree_util import PyTreeDef

from jaxviz.capture.jaxprs.structure import is_structural
from jaxviz.capture.shown.objects import Types, inherits, is_a, is_installed, is_library_type
from jaxviz.capture.shown.shown_values import DEPTH, LONGEST_PARAM, Reading, readable
from jaxviz.capture.shown.strings import looks_secret, name, names_secret, plain
from jaxviz.schema import Param

VALUE_LIMIT = 400

_PLAIN_JIT = re.compile(r"\(?((UnspecifiedValue|False|None|\w*Mesh\(\))( × \d+)?(, |,)?)*\)?")


def params_of(eqn: JaxprEqn, bodies: bool) -> tuple[Param, ...]:
    """The params of an eqn, sorted by name. Left out are its bodies, params that only assign
    operands to bodies, and defaults of a jit, which JAX does not print either."""
    params = [
        _param(key, value)
        for key, value in sorted(eqn.params.items(), key=lambda item: item[0])
        if not is_structural(eqn, key) and not (bodies and _is_body(value))
    ]
    if eqn.primitive.name in ("jit", "pjit"):
        params = [param for param in params if not _PLAIN_JIT.fullmatch(param.value)]
    return tuple(params)


class Kinds:
    """Numbers the kinds of a program's eqns. Eqns of one kind differ only in their variables. The
    program must stay alive, since eqns are recognized by identity."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._params: dict[int, int | None] = {}

    def of(self, eqn: JaxprEqn) -> Hashable | None:
        """Equal for eqns of one kind; None if that is not certain, as for eqns with bodies."""
        params = self.of_params(eqn)
        if params is None or eqn.effects:
            return None
        invars = [_literal(atom) if isinstance(atom, Literal) else 0 for atom in eqn.invars]
        outvars = [(type(var), id(var.aval)) for var in eqn.outvars]
        return None if None in invars else (params, *outvars, *invars)

    def of_params(self, eqn: JaxprEqn) -> int | None:
        """Equal for eqns of one primitive whose params have equal text; None if that is not
        certain."""
        cached = self._params.get(id(eqn.params), -1)
        if cached != -1:
            return cached
        kinds = [_kind(value) for value in eqn.params.values()]
        key = eqn.primitive, *eqn.params, *kinds
        number = None if None in kinds else self._numbers.setdefault(key, len(self._numbers))
        self._params[id(eqn.params)] = number
        return number


def _literal(literal: Any) -> Hashable | None:
    value = literal.val
    if getattr(value, "shape", ()) != ():
        return None
    number = value.item() if hasattr(value, "item") else value
    kinds = (bool, int, float, complex)
    return (type(value), repr(number), id(literal.aval)) if isinstance(number, kinds) else None


def _kind(value: Any) -> Hashable | None:
    kind = type(value)
    if kind is tuple:
        if _NUMBERS.has_all_of(value):
            return kind, value
        kinds = tuple(map(_kind, value))
        return None if None in kinds else kinds
    if kind in _BY_VALUE:
        return kind, value
    return id(value) if is_a(value, np.dtype, enum.Enum) else None


_NUMBERS = Types(int)
_BY_VALUE = Types(type(None), bool, int, str)


def _param(key: str, value: Any) -> Param:
    is_long = type(value) is str and len(value) > LONGEST_PARAM
    shown = value[:LONGEST_PARAM] if is_long else value
    text = plain(readable(shown, hidden=names_secret(key), reading=Reading(_MOST_PARTS)))
    size = len(value) if is_long else len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def _is_body(value: Any) -> bool:
    if inherits(type(value), tuple, list):
        return bool(value) and all(part is None or _is_body(part) for part in value)
    return inherits(type(value), Jaxpr, ClosedJaxpr)


_SAFE = Types(
    *(type(None), bool, float, complex, Jaxpr, ClosedJaxpr, FunctionType, BuiltinFunctionType)
)


_CONTAINERS = Types(tuple, list, set, frozenset)
_MOST_PARTS = 100_000
"""At most this many parts of a param are read. JAX makes long params, such as lists of devices."""
_LONGEST_INT = 1_000
"""An integer of more bits is printed as its count of digits."""


class _Printed:
    """A stand-in for a value, which prints the parts that may be shown."""

    __slots__ = ("text",)

    def __init__(self, value: Any) -> None:
        self.text = readable(value)

    def __repr__(self) -> str:
        return self.text


def printed(params: dict[str, Any]) -> dict[str, Any]:
    """The params, with a stand-in for each that JAX must not print itself."""
    unsafe = [name for name, value in params.items() if not _is_safe(value, name)]
    return {**params, **{name: _Printed(params[name]) for name in unsafe}} if unsafe else params


def _is_safe(value: Any, name: str = "", depth: int = 0) -> bool:
    kind = type(value)
    if kind in _SAFE:
        return True
    if kind is int:
        return value.bit_length() < _LONGEST_INT
    if kind is str:
        return not (len(value) > LONGEST_PARAM or looks_secret(value) or names_secret(name))
    if depth > DEPTH:
        return False
    if kind in _CONTAINERS:
        return all(_is_safe(part, name, depth + 1) for part in value)
    if kind is dict:
        return all(
            _is_safe(key) and _is_safe(part, key if type(key) is str else "", depth + 1)
            for key, part in value.items()
        )
    if inherits(kind, PyTreeDef):
        return _is_safe_tree(value)
    if inherits(kind, partial) or not is_library_type(kind):
        from_library = is_library_type(kind) or is_installed(kind)
        return kind is type or (from_library and inherits(kind, type))
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if field.repr]
        return all(_is_safe(getattr(value, field, None), field, depth + 1) for field in fields)
    return True


def _is_safe_tree(tree: Any) -> bool:
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        node = one.node_data()
        if node is not None and not _is_safe(node[1]):
            return False
        waiting += one.children()
    return True
