"""Finds the arrays that functions in a program's params close over: rules for derivatives, and
callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

SEEN = 20_000
"""How many objects are looked at before the search is given up."""
_CLOSED = (type, ModuleType, BuiltinFunctionType, Jaxpr, ClosedJaxpr, str, bytes, int, float)


def functions_of(eqn: JaxprEqn) -> list[Any]:
    """The functions in the params of an eqn: its rules, or what it calls back."""
    if not (is_custom(eqn) or eqn.primitive.name.endswith("callback")):
        return []
    return [value for value in eqn.params.values() if is_function(value)]


def is_function(value: Any) -> bool:
    """Whether a param is a function, or one that JAX has wrapped (`linear_util.WrappedFun`)."""
    return (callable(value) or hasattr(value, "call_wrapped")) and not _is_closed(value)


def is_custom(eqn: JaxprEqn) -> bool:
    """Whether its functions are rules of derivatives or batching, which lowering never calls."""
    return eqn.primitive.name.startswith("custom_")


def arrays_of(functions: list[Any]) -> dict[int, Any]:
    """The arrays that functions close over, by identity; found without calling anything."""
    arrays: dict[int, Any] = {}
    seen = set(map(id, functions))
    room = len(seen) + SEEN
    waiting = [*functions]
    for value in waiting:
        if isinstance(value, jax.Array | np.ndarray):
            arrays[id(value)] = value
            continue
        for part in parts(value):
            if id(part) not in seen and len(seen) < room and not _is_closed(part):
                seen.add(id(part))
                waiting.append(part)
    return arrays


def _is_closed(value: Any) -> bool:
    return value is None or isinstance(value, _CLOSED)


def parts(value: Any) -> Iterator[Any]:
    """The objects that a value holds, if they can be found without running the user's code."""
    if isinstance(value, FunctionType):
        yield from (cell.cell_contents for cell in value.__closure__ or () if cell != CellType())
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
    elif isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif type(value) is partial:
        yield from (value.func, *value.args, *value.keywords.values())
    elif type(value) in (tuple, list):
        yield from value
    elif type(value) is dict:
        yield from value.values()
    else:
        yield from _attributes(value)


def _attributes(value: Any) -> Iterator[Any]:
    with suppress(AttributeError):
        yield object.__getattribute__(value, "__dict__")
    for kind in type(value).__mro__:
        for slot in vars(kind).values():
            if type(slot) is MemberDescriptorType:
                with suppress(AttributeError):
                    yield slot.__get__(value)
