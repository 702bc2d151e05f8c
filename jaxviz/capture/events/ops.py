"""Ops that JAX runs one by one, outside any jit of the user's: what the user called, and where."""

from __future__ import annotations

import os
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import jax
import jax.numpy
import jax.random

from jaxviz.capture.source import file_kind
from jaxviz.capture.strings import name

_JAX = os.path.dirname(jax.__file__) + os.sep
_MODULES: tuple[tuple[str, Any], ...] = (
    ("jnp", jax.numpy),
    ("jax.nn", jax.nn),
    ("jax.random", jax.random),
    ("jnp.linalg", jax.numpy.linalg),
    ("jnp.fft", jax.numpy.fft),
    ("lax", jax.lax),
    ("jax", jax),
)
"""Where users find JAX's functions; of two that have one name the first is meant."""


def op_of(frame: FrameType | None, label: str) -> str:
    """The op as the user would write it, `jnp.ones`: the function of JAX's that the user's line
    called, where it has a public name; or else the op that was made, `sin` of `jit(sin)`."""
    made = _public(label.removeprefix("jit(").removesuffix(")").lstrip("_"))
    called = ""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_JAX):
            called = _called(code) or called
        if file_kind(code.co_filename) in ("own", "installed"):
            break
        frame = frame.f_back
    return name(called or made)


@lru_cache(maxsize=4096)
def _called(code: CodeType) -> str:
    """The public name of a function of JAX's; empty of one that has none, and of what stands
    between: a method, or a function within another."""
    if "." in code.co_qualname or code.co_qualname.startswith("_"):
        return ""
    found = _public(code.co_name)
    return found if found != code.co_name and _is(found, code) else ""


def _is(public: str, code: CodeType) -> bool:
    """Whether the function of that name is written there, or is wrapped around what is."""
    module, _, attribute = public.rpartition(".")
    fun = getattr(dict(_MODULES)[module], attribute)
    for _ in range(8):
        if getattr(fun, "__code__", None) is code:
            return True
        fun = getattr(fun, "__wrapped__", None)
    return False


@lru_cache(maxsize=4096)
def _public(function: str) -> str:
    if function.isidentifier() and not function.startswith("_"):
        for title, module in _MODULES:
            if callable(getattr(module, function, None)):
                return f"{title}.{function}"
    return function
