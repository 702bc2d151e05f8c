"""What is wrapped around a function: partials, methods, decorators, and libraries' own wrappers."""

from __future__ import annotations

import inspect
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from jax.stages import Wrapped

from jaxviz.capture.wrappers import called_by_method, held_by_wrapper


def into(layers: list[Any], names: list[str]) -> str:
    """Unwraps `layers[-1]`, adding each function that lies within the one before to `layers`, and
    to `names` what is written around it (`filter_grad`). Returns the function's own name."""
    text = ""
    for _ in range(100):
        fun = layers[-1]
        inner, around, called = _within(fun)
        text = called or text
        if inner is None:
            break
        names += [around] if around else []
        layers.append(inner)
    return text or _name(layers)


def _within(fun: Any) -> tuple[Any, str, str]:
    """The function that `fun` wraps, or None; what is written around its name, or an empty string;
    and the name that `fun` gives it, or an empty string if it is the inner function's own."""
    if isinstance(fun, partial):
        return fun.func, "", ""
    called = called_by_method(fun)
    if called is not None:
        return called[0], "", called[1]
    held = held_by_wrapper(fun)
    if held is not None:
        return held[0], held[1], _suffixed(fun, held[0])
    if isinstance(fun, MethodType):
        return fun.__func__, "", ""
    inner = _wrapped(fun)
    if inner is None and not hasattr(fun, "__code__") and not isinstance(fun, type):
        inner = inspect.getattr_static(type(fun), "__call__", None)
        known = isinstance(inner, FunctionType) or held_by_wrapper(inner) is not None
        return (inner, "", _own_name(fun)) if known else (None, "", "")
    return inner, "", ""


def _suffixed(fun: Any, inner: Any) -> str:
    """`f.apply` for the function `apply_fn` that a library made of `f`; empty for any other."""
    own, made_of = getattr(fun, "__name__", ""), getattr(inner, "__name__", "")
    if isinstance(own, str) and own.endswith("_fn") and isinstance(made_of, str) and made_of:
        return f"{made_of}.{own.removesuffix('_fn')}"
    return ""


def _own_name(fun: Any) -> str:
    found = inspect.getattr_static(fun, "__name__", None)
    return found if isinstance(found, str) else type(fun).__name__


def _name(layers: list[Any]) -> str:
    found = getattr(layers[-1], "__name__", None)
    return found if isinstance(found, str) else type(layers[-1]).__name__


def innermost(fun: Any) -> Any:
    """The user's function itself, under all its wrappers."""
    layers = [fun]
    into(layers, [])
    return layers[-1]


def holds_jit(fun: Any) -> bool:
    """Whether `fun` is jitted, or wraps a function that is."""
    layers = [fun]
    into(layers, [])
    return any(isinstance(layer, Wrapped) for layer in layers)


def _wrapped(fun: Any) -> Any:
    """Its `__wrapped__`, read without running code of its class; None if it has none."""
    found = inspect.getattr_static(fun, "__wrapped__", None)
    return found if callable(found) else None
