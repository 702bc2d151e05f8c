"""Params of an eqn, readable: the same text in every run, and never an array's values."""

from __future__ import annotations

import dataclasses
import enum
import re
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxviz.capture.strings import name, plain, without_addresses
from jaxviz.schema import Param

VALUE_LIMIT = 400
_DEPTH_LIMIT = 8
_SIMPLE: set[type] = {type(None), bool, int, float, complex, str, bytes}


_PLAIN_JIT = re.compile(r"\(?((UnspecifiedValue|False|None|\w*Mesh\(\))( × \d+)?(, |,)?)*\)?")


def params_of(eqn: JaxprEqn, bodies: bool) -> list[Param]:
    """The params of an eqn by name, without those that are its bodies, and without those of a
    jit that say nothing: JAX does not print them either."""
    held = eqn.params
    params = [
        _param(key, held[key]) for key in sorted(held) if not (bodies and _is_body(held[key]))
    ]
    if eqn.primitive.name in ("jit", "pjit"):
        return [param for param in params if not _PLAIN_JIT.fullmatch(param.value)]
    return params


def _param(key: str, value: Any) -> Param:
    text = plain(readable(value))
    size = len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def _is_body(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(part is None or _is_body(part) for part in value)
    return isinstance(value, Jaxpr | ClosedJaxpr)


def readable(value: Any, depth: int = 0) -> str:
    """One line that says what the value is."""
    kind = type(value)
    if kind is str:
        return value if depth == 0 else repr(value)
    if kind in _SIMPLE:
        return repr(value)
    if depth > _DEPTH_LIMIT:
        return "…"
    if isinstance(value, Jaxpr | ClosedJaxpr):
        return "{ lambda … }"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, np.dtype):
        return str(value)
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, tuple | list | set | frozenset):
        return _sequence(value, depth)
    if isinstance(value, dict):
        pairs = (f"{readable(k, depth + 1)}: {readable(v, depth + 1)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _typed(value)
    if isinstance(value, FunctionType | MethodType | BuiltinFunctionType | partial):
        return _callable(value)
    if kind.__module__.partition(".")[0] in ("jax", "jaxlib", "numpy"):
        return _of_jax(value, depth)
    return _callable(value)


def _sequence(value: Any, depth: int) -> str:
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return _record(type(value).__name__, zip(fields, value, strict=True), depth)
    parts = [readable(part, depth + 1) for part in value]
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(parts)) + "}"
    text = ", ".join(_runs(parts))
    if isinstance(value, list):
        return f"[{text}]"
    return f"({text},)" if len(parts) == 1 else f"({text})"


def _runs(parts: list[str]) -> list[str]:
    """More than three equal ones in a row are counted: `None × 12`."""
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


def _record(title: str, fields: Any, depth: int) -> str:
    return f"{title}({', '.join(f'{k}={readable(v, depth + 1)}' for k, v in fields)})"


def _typed(value: Any) -> str:
    """An array's or an aval's type, never its values; a NumPy scalar is a number."""
    if isinstance(value, np.generic):
        return str(value)
    return f"{value.dtype}[{','.join(map(str, value.shape))}]"


def _callable(value: Any) -> str:
    """The name of a function, or of an object's type."""
    for _ in range(8):
        inner = getattr(value, "func", None) or getattr(value, "__wrapped__", None)
        if inner is None:
            break
        value = inner
    found = getattr(value, "__name__", None)
    return found if isinstance(found, str) else type(value).__name__


def _of_jax(value: Any, depth: int) -> str:
    """A value of a type of JAX's own or NumPy's, which prints no array's values."""
    function = getattr(getattr(value, "debug_info", None), "func_name", None)
    if function is not None:
        return function
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        pairs = [(f.name, getattr(value, f.name, None)) for f in fields if f.repr]
        return _record(type(value).__name__, pairs, depth)
    return " ".join(without_addresses(str(value)).split())
