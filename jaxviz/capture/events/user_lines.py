"""What the user's lines say of an event: which of JAX's functions they called, and if in a loop.

The first is for ops that JAX runs one by one, outside any jit of the user's. A line in a loop is
one that calls the same function again by itself.
"""

from __future__ import annotations

import dis
import os
from dataclasses import replace
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

import jax
import jax.numpy
import jax.random

from jaxviz.capture.events.announcements import Apart, Span
from jaxviz.capture.events.functions import site_of
from jaxviz.capture.source import file_kind
from jaxviz.capture.strings import name
from jaxviz.signature import Fact

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
"""Where users find JAX's functions. Where two have one name, the first is meant."""


def with_user_lines(one: Fact | Apart, span: Span, frame: FrameType) -> Fact | Apart:
    """A fact with whether its line is looped, or a trace of JAX's own with its op and line; as it
    is where these cannot be read. A trace of JAX's own within another is part of that one, and no
    op by itself."""
    try:
        if isinstance(one, Fact):
            return replace(one, looped=is_looped(frame))
        if span.kind != "compile" and span.depth > 0:
            return one
        return one._replace(op=op_of(frame, span.name), site=site_of(frame))
    except Exception:
        return one


def op_of(frame: FrameType | None, label: str) -> str:
    """The op as the user would write it, `jnp.ones`: the function of JAX's that the user's line
    called, if that has a public name; else the op that was made, `sin` for `jit(sin)`."""
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
    """The public name of a function of JAX's; empty where it has none, or is a method or a function
    within another."""
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


def is_looped(frame: FrameType | None) -> bool:
    """Whether the user's innermost line, or one of theirs that called it, is in a loop now."""
    while frame is not None:
        code = frame.f_code
        own = file_kind(code.co_filename) == "own"
        if own and any(start <= frame.f_lasti <= stop for start, stop in _loops(code)):
            return True
        frame = frame.f_back
    return False


@lru_cache(maxsize=1024)
def _loops(code: CodeType) -> list[tuple[int, int]]:
    """The loops of a function, from their first instruction to the jump back."""
    return [
        (one.argval, one.offset)
        for one in dis.get_instructions(code)
        if "JUMP_BACKWARD" in one.opname and isinstance(one.argval, int)
    ]
