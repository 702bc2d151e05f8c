"""Reads what is called, such as its parameters, without running it or any other code of the
user's."""

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
    is_librarys,
)

_WRAPPERS = 100


def wrapped(fun: Any) -> Any:
    """The `__wrapped__` of a function; None if it has none."""
    if type(fun) is FunctionType:  # it is in its dict alone, which takes a tenth of the time
        return fun.__dict__.get("__wrapped__")
    return attribute(fun, "__wrapped__")


def unwrapped(fun: Any) -> Any:
    """Like `inspect.unwrap`, but without the user's code."""
    for _ in range(_WRAPPERS):
        inner = wrapped(fun)
        if inner is None:
            break
        fun = inner
    return fun


def parameters_of(fun: Any) -> inspect.Signature | None:
    """Like `inspect.signature`; None if only the user's code knows it."""
    inner, is_partial = _inner(fun)
    asked = fun if _tells_itself(type(inner)) else None if is_partial else _call_of(inner)
    if asked is None or type(asked) is inspect.Signature:
        return asked
    try:
        return inspect.signature(asked)
    except (TypeError, ValueError):
        return None


def parameter_names(fun: Any) -> list[str]:
    """The names of a function's parameters; empty if they are not known."""
    found = parameters_of(fun)
    return [] if found is None else [*found.parameters]


def _inner(fun: Any) -> tuple[Any, bool]:
    """The function that a function wraps or binds, and whether it binds arguments."""
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


def _tells_itself(kind: type) -> bool:
    """True if Python reads the parameters from functions, from classes of Python's or from objects
    of a package's."""
    return kind in FUNCTIONS or kind is type or is_librarys(kind) or is_installed(kind)


def _call_of(fun: Any) -> Any:
    """The `__call__` of an object of the user's, or the signature that it has noted."""
    if is_class(fun):
        return None
    noted = attribute(fun, "__signature__", MISSING)
    if type(noted) is inspect.Signature:
        return noted
    call = class_attribute(type(fun), "__call__")
    return MethodType(call, fun) if type(call) is FunctionType else None


def wrap(around: FunctionType, fun: Any) -> None:
    """Like `functools.update_wrapper`, with attributes that can be read without running code."""
    for key in ("__module__", "__name__", "__qualname__", "__doc__"):
        found = attribute(fun, key)
        if type(found) is str:
            setattr(around, key, found)
    around.__dict__["__wrapped__"] = fun
