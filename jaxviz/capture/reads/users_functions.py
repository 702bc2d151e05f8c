"""Searches the user's functions that a callable may reach, before it is traced: by the names in
their code, closures, wrappers and methods.

This takes a fifth of the time in which each name is followed to its value. So it finds more
functions than a call reaches, and no place where one is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from jaxviz.capture.calls.statics import is_users
from jaxviz.capture.calls.users_names import codes_in
from jaxviz.capture.reads.read_values import Function, argument, is_own_module
from jaxviz.capture.shown.callables import wrapped
from jaxviz.capture.shown.objects import (
    MISSING,
    PARTIAL,
    Types,
    attribute,
    bases_of,
    inherits,
    is_class,
    namespace_of,
    vars_of,
)
from jaxviz.capture.shown.source import file_kind

NUMBERS = Types(
    *(bool, int, float),
    *{type(np.dtype(code).type()) for code in "?bhilqBHILQefd"},
)
"""Types of numbers that are not complex."""
MOST_FUNCTIONS = 200
"""At most this many functions of the user are read."""
_MOST_VALUES = 2_000
"""At most this many values are searched for functions."""
_FEW = 20
"""Only this many items of a list, tuple or dict are searched."""
_PLAIN = Types(*(type(None), bool, int, float, complex, str, bytes, ModuleType, np.ndarray))
"""Types of values that contain no functions."""


def users_functions(fun: Any) -> list[Function]:
    """The user's functions that a function reaches by names, closures, wrappers and methods, at
    most `MOST_FUNCTIONS`."""
    found: list[Function] = []
    waiting: list[tuple[Any, Any]] = [(fun, MISSING)]
    seen: set[int] = set()
    for value, receiver in waiting:
        if len(found) == MOST_FUNCTIONS or len(seen) == _MOST_VALUES:
            break
        if type(value) in _PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is FunctionType:
            function = _function(value, receiver)
            if file_kind(value.__code__.co_filename) == "own":
                found.append(function)
                waiting += ((part, MISSING) for _, part in named(function))
            else:
                waiting += ((cell, MISSING) for _, cell in function.closure())
            waiting.append((wrapped(value), receiver))
        else:
            waiting += _parts(value)
    return found


def _function(fun: FunctionType, receiver: Any) -> Function:
    names = fun.__code__.co_varnames[: fun.__code__.co_argcount]
    if receiver is MISSING or not names:
        return Function(fun, {})
    return Function(fun, {names[0]: argument(names[0], receiver, True)})


def all_codes(function: Function) -> Iterator[CodeType]:
    """The code of a function, and the codes of the functions within it."""
    return codes_in(function.fun.__code__)


def named(function: Function) -> Iterator[tuple[str, Any]]:
    """The globals and closure variables that a function names, the fields of its receiver, and what
    it names in the user's modules, each with its value."""
    receivers = (vars_of(bound.value) for bound in function.arguments.values())
    spaces = [function.fun.__globals__, *receivers]
    yield from function.closure()
    for code in all_codes(function):
        modules = [spaces[0].get(name) for name in code.co_names]
        modules = [
            vars_of(one) for one in modules if type(one) is ModuleType and is_own_module(one)
        ]
        for name in code.co_names:
            yield from ((name, space[name]) for space in (*spaces, *modules) if name in space)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """The values in which functions are searched, each with the object whose method it is."""
    kind = type(value)
    if kind is MethodType:
        yield value.__func__, value.__self__
        yield value.__self__, MISSING
    elif inherits(kind, partial):
        yield PARTIAL["func"].__get__(value), MISSING
    elif inherits(kind, tuple):
        yield from ((part, MISSING) for part in tuple.__getitem__(value, slice(_FEW)))
    elif kind is list or kind is dict:
        yield from (
            (part, MISSING) for part in islice(value if kind is list else value.values(), _FEW)
        )
    elif is_class(value):
        yield from _methods(value, MISSING)
    elif is_users(kind):
        yield from _methods(kind, value)
        yield from ((part, MISSING) for part in islice(vars_of(value).values(), _FEW))
    else:
        yield wrapped(value), MISSING


def _methods(kind: type, receiver: Any) -> Iterator[tuple[Any, Any]]:
    """The functions of a class and its bases in the user's code."""
    for base in bases_of(kind):
        if is_users(base):
            for one in namespace_of(base).values():
                is_static = type(one) is staticmethod
                yield attribute(one, "__func__") or one, MISSING if is_static else receiver


def equals(number: Any, scalar: np.ndarray) -> bool:
    """True if a number of `NUMBERS`, cast to the dtype of a scalar, equals it."""
    try:
        with np.errstate(all="ignore"):
            return bool(np.asarray(number).astype(scalar.dtype) == scalar)
    except (OverflowError, TypeError, ValueError):
        return False
