"""A function that is traced once more, as it is kept for that. A wrapper that JAX made, such as
`jax.grad(f)`, is made anew around what it closes over, as nobody else may hold it. What is the
user's in it is held weakly, but for functions that hold their code and plain values alone, so that
nothing of the user's is kept alive.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any

from jaxviz.capture.shown.objects import Types, is_a
from jaxviz.capture.shown.source import is_jax_s
from jaxviz.sentences import sentence

_PLAIN = (type(None), bool, int, float, complex, str, bytes)
_SEQUENCES = Types(tuple, list)
Kept = Callable[[], Any]
"""What gives a value. Raises ValueError, with a sentence, where it is gone."""


def kept_function(fun: Any) -> Kept | None:
    """What gives a function, or one that does the same; None for what cannot be kept."""
    with suppress(TypeError, ValueError):  # no weak reference, an empty cell
        return _kept(fun, _weakly)
    return None


def made_anew(fun: Any) -> Any:
    """A function that does the same, which JAX has not met, nor a function that is in it: only
    what was jitted is the same."""
    with suppress(ValueError):
        return _kept(fun, _copies)()
    return fun


def copied(fun: FunctionType, cells: tuple[CellType, ...] | None = None) -> FunctionType:
    """The same function as another object, which JAX has not met. `cells` are what it closes over
    where that is not the same."""
    around = fun.__closure__ if cells is None else cells
    again = FunctionType(fun.__code__, fun.__globals__, fun.__name__, fun.__defaults__, around)
    for kept in ("__kwdefaults__", "__qualname__", "__module__", "__annotations__"):
        setattr(again, kept, getattr(fun, kept))
    again.__dict__.update(fun.__dict__)
    return again


def _kept(value: Any, held: Callable[[Any], Kept]) -> Kept:
    """What gives a value, of which `held` gives what is the user's."""
    if type(value) is FunctionType:
        ours = is_jax_s(value.__code__.co_filename)
        return _wrapper(value, value.__closure__ or (), held) if ours else held(value)
    if is_a(value, *_PLAIN) or type(value) is object:
        return lambda: value
    if type(value) in _SEQUENCES:
        kind, parts = type(value), [_kept(part, held) for part in value]
        return lambda: kind(part() for part in parts)
    if type(value) is partial:
        parts_of = _kept((value.func, value.args, [*value.keywords.items()]), held)
        return lambda: _partial(*parts_of())
    return held(value)


def _copies(value: Any) -> Kept:
    return lambda: copied(value) if type(value) is FunctionType else value


def _weakly(value: Any) -> Kept:
    """Raises TypeError for what cannot be referred to weakly."""
    if type(value) is FunctionType and _is_bare(value):
        return _copies(copied(value))
    refer = weakref.WeakMethod if type(value) is MethodType else weakref.ref
    return partial(_there, refer(value))


def _there(reference: Any) -> Any:
    value = reference()
    if value is None:
        raise ValueError(sentence("function gone"))
    return value


def _partial(fun: Any, args: tuple[Any, ...], keywords: list[tuple[str, Any]]) -> Any:
    return partial(fun, *args, **dict(keywords))


def _is_bare(fun: FunctionType) -> bool:
    """Whether a function holds its code and plain values alone: its names are those of a module,
    not of a namespace that nobody else may hold."""
    if getattr(sys.modules.get(fun.__module__), "__dict__", None) is not fun.__globals__:
        return False
    held = (*(fun.__defaults__ or ()), *(fun.__kwdefaults__ or {}).values())
    return not fun.__closure__ and not fun.__dict__ and all(is_a(one, *_PLAIN) for one in held)


def _wrapper(fun: FunctionType, around: tuple[CellType, ...], held: Callable[[Any], Kept]) -> Kept:
    """What makes a function of JAX's anew around what it closes over."""
    values = _kept([cell.cell_contents for cell in around], held)
    wrapped = _kept(fun.__dict__.get("__wrapped__"), held)
    empty = copied(fun, tuple(CellType() for _ in around))
    empty.__dict__.clear()

    def anew() -> FunctionType:
        again = copied(empty, tuple(map(CellType, values())))
        again.__dict__["__wrapped__"] = wrapped()
        return again

    return anew
