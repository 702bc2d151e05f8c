"""Reads functions and other callables, such as their parameters, without running any user code."""

from __future__ import annotations

import inspect
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from jaxviz.capture.shown.objects import (
    FUNCTIONS,
    MISSING,
    PARTIAL,
    attribute,
    class_attribute,
    inherits,
    is_class,
    is_installed,
    is_library_type,
)

_WRAPPERS = 100


def wrapped(fun: Any) -> Any:
    """The `__wrapped__` of a function; None if it has none."""
    if type(fun) is FunctionType:  # only its dict can have it: a tenth of the time
        return fun.__dict__.get("__wrapped__")
    return attribute(fun, "__wrapped__")


def unwrapped(fun: Any) -> Any:
    """Like `inspect.unwrap`, without running user code."""
    for _ in range(_WRAPPERS):
        inner = wrapped(fun)
        if inner is None:
            break
        fun = inner
    return fun


def parameters_of(fun: Any) -> inspect.Signature | None:
    """Like `inspect.signature`; None if only the user's code knows it."""
    inner, is_partial = _inner(fun)
    readable = fun if _is_readable(type(inner)) else None if is_partial else _call_of(inner)
    if readable is None or type(readable) is inspect.Signature:
        return readable
    try:
        return inspect.signature(readable)
    except (TypeError, ValueError):
        return None


def parameter_names(fun: Any) -> list[str]:
    """The names of a function's parameters; empty if they are unknown."""
    found = parameters_of(fun)
    return [] if found is None else [*found.parameters]


def _inner(fun: Any) -> tuple[Any, bool]:
    """The function that a function wraps or binds, and True if a partial binds arguments of it."""
    is_partial = False
    for _ in range(_WRAPPERS):
        kind = type(fun)
        if inherits(kind, partial):
            fun, is_partial = PARTIAL["func"].__get__(fun), True
        elif kind is MethodType:
            fun = fun.__func__
        else:
            inner = wrapped(fun)
            if inner is None:
                break
            fun = inner
    return fun, is_partial


def _is_readable(kind: type) -> bool:
    """True if `inspect.signature` runs no user code for objects of a class: functions, Python's
    classes and objects of packages."""
    return kind in FUNCTIONS or kind is type or is_library_type(kind) or is_installed(kind)


def _call_of(fun: Any) -> Any:
    """The `__call__` of a user's object, or its `__signature__`."""
    if is_class(fun):
        return None
    signature = attribute(fun, "__signature__", MISSING)
    if type(signature) is inspect.Signature:
        return signature
    call = class_attribute(type(fun), "__call__")
    return MethodType(call, fun) if type(call) is FunctionType else None


def wrap(wrapper: FunctionType, fun: Any) -> None:
    """Like `functools.update_wrapper`, with attributes that can be read without running code."""
    for key in ("__module__", "__name__", "__qualname__", "__doc__"):
        found = attribute(fun, key)
        if type(found) is str:
            setattr(wrapper, key, found)
    wrapper.__dict__["__wrapped__"] = fun
