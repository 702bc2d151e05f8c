"""What is wrapped around a function: partials, methods, decorators, and libraries' own wrappers."""

from __future__ import annotations

import inspect
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from jax.stages import Wrapped

from jaxviz.capture.wrappers import called_by_method, held_by_wrapper


def into(layers: list[Any], names: list[str]) -> str:
    """Adds to `layers` what lies within the first, outermost first, and to `names` what libraries
    say around it; returns the innermost name."""
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
    """What the layer wraps, what is said around it, and the name where that is not the inner."""
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
    """`f.apply` of the function `apply_fn` that a library made of `f`."""
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
    """The user's function itself, under all that is wrapped around it."""
    layers = [fun]
    into(layers, [])
    return layers[-1]


def holds_jit(fun: Any) -> bool:
    """Whether a jitted function lies within, or it is one."""
    layers = [fun]
    into(layers, [])
    return any(isinstance(layer, Wrapped) for layer in layers)


def _wrapped(fun: Any) -> Any:
    """What it says that it wraps, without running code of its class."""
    found = inspect.getattr_static(fun, "__wrapped__", None)
    return found if callable(found) else None
