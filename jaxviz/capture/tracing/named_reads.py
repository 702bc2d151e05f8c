"""Finds the values that the user's functions name: their globals, closure variables and attributes
of these, by bytecode. No code of the user runs, and no descriptor or property is read."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from types import (
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from jaxviz.capture.calls.users_names import codes_in
from jaxviz.capture.shown.callables import wrapped
from jaxviz.capture.shown.objects import (
    MISSING,
    PARTIAL,
    Types,
    attribute,
    bases_of,
    class_attribute,
    has_class_attribute,
    inherits,
    is_a,
    is_class,
    is_library_type,
    module_of,
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
_METHODS = Types(FunctionType, MethodDescriptorType, ClassMethodDescriptorType)
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_ROOTS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST")


class NamedRead(NamedTuple):
    """A name with its attributes in a function's code: `np.random.normal`."""

    path: tuple[str, ...]
    code: CodeType
    instruction: int
    """The place of its last part in the code, as in `co_positions` times two."""

    @property
    def text(self) -> str:
        return ".".join(self.path)


class UsersFunction(NamedTuple):
    """A function of the user, and the object whose method it is."""

    fun: Any
    receiver: Any = MISSING

    def codes(self) -> Iterator[CodeType]:
        """Its code, and the codes of the functions within it."""
        return codes_in(self.fun.__code__)

    def named(self) -> Iterator[tuple[str, Any]]:
        """The globals and closure variables that it names, the fields of its receiver, and what it
        names in the user's modules, each with its value. Takes a tenth of the time of `reads`."""
        spaces = [self.fun.__globals__, {} if self.receiver is MISSING else vars_of(self.receiver)]
        yield from self.closure()
        for code in self.codes():
            modules = [spaces[0].get(name) for name in code.co_names]
            modules = [vars_of(one) for one in modules if _is_own_module(one)]
            for name in code.co_names:
                yield from ((name, space[name]) for space in (*spaces, *modules) if name in space)

    def reads(self) -> Iterator[tuple[NamedRead, Any]]:
        """Each name that its code reads, with the value; nothing for values that are not known."""
        for code in self.codes():
            for read in paths_in(code):
                value = self.value_of(read.path, code)
                if value is not MISSING:
                    yield read, value

    def value_of(self, path: tuple[str, ...], code: CodeType) -> Any:
        """The value of a name with its attributes in its code, or in that of a function within it;
        `MISSING` if it is not known, such as that of a local variable."""
        root = path[0]
        if root in code.co_varnames or root in code.co_cellvars:
            is_first = bool(code.co_argcount) and root == code.co_varnames[0]
            value = self.receiver if is_first and code is self.fun.__code__ else MISSING
        elif root in code.co_freevars:
            value = dict(self.closure()).get(root, MISSING)
        else:
            value = self.fun.__globals__.get(root, MISSING)
        for name in path[1:]:
            value = part_of(value, name)
        return value

    def closure(self) -> Iterator[tuple[str, Any]]:
        cells = zip(self.fun.__code__.co_freevars, self.fun.__closure__ or (), strict=True)
        for variable, cell in cells:
            try:
                yield variable, cell.cell_contents
            except ValueError:  # not set yet
                continue


def paths_in(code: CodeType) -> Iterator[NamedRead]:
    """Each name with its attributes, in the order of the code."""
    path: tuple[str, ...] = ()
    at = 0
    for one in dis.get_instructions(code):
        if path and one.opname in _ATTRIBUTES:
            path, at = (*path, one.argval), one.offset
            continue
        if path:
            yield NamedRead(path, code, at)
        path = ()
        if any(part in one.opname for part in _ROOTS):
            named = one.argval[-1] if type(one.argval) is tuple else one.argval
            path, at = (named,), one.offset


def part_of(value: Any, name: str) -> Any:
    """An attribute of a module, or of an object without running its code; else `MISSING`. A method
    is bound to its object."""
    kind = value if is_class(value) else type(value)
    if value is MISSING or kind is ModuleType:
        return MISSING if value is MISSING else vars_of(value).get(name, MISSING)
    if is_library_type(type(value)):
        return attribute(value, name, MISSING)
    found = class_attribute(kind, name)
    if type(found) in _METHODS:
        return found.__get__(None if is_class(value) else value, kind)
    if is_a(value, tuple) and name in _fields_of(kind):
        return tuple.__getitem__(value, _fields_of(kind).index(name))
    if found is not MISSING and has_class_attribute(type(found), "__set__"):
        return MISSING
    own = vars_of(value).get(name, MISSING)
    if own is not MISSING or found is MISSING:
        return own
    return MISSING if has_class_attribute(type(found), "__get__") else found


def _fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a named tuple; empty for any other class."""
    fields = class_attribute(kind, "_fields") if inherits(kind, tuple) else ()
    return fields if type(fields) is tuple else ()


def users_functions(fun: Any) -> list[UsersFunction]:
    """The user's functions that a function reaches by names, closures, wrappers and methods, at
    most `MOST_FUNCTIONS`."""
    found: list[UsersFunction] = []
    waiting: list[tuple[Any, Any]] = [(fun, MISSING)]
    seen: set[int] = set()
    for value, receiver in waiting:
        if len(found) == MOST_FUNCTIONS or len(seen) == _MOST_VALUES:
            break
        if type(value) in _PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is FunctionType:
            function = UsersFunction(value, receiver)
            if file_kind(value.__code__.co_filename) == "own":
                found.append(function)
                waiting += ((part, MISSING) for _, part in function.named())
            else:
                waiting += ((cell, MISSING) for _, cell in function.closure())
            waiting.append((wrapped(value), receiver))
        else:
            waiting += _parts(value)
    return found


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
    elif is_own_class(kind):
        yield from _methods(kind, value)
        yield from ((part, MISSING) for part in islice(vars_of(value).values(), _FEW))
    else:
        yield wrapped(value), MISSING


def _methods(kind: type, receiver: Any) -> Iterator[tuple[Any, Any]]:
    """The functions of a class and its bases in the user's code."""
    for base in bases_of(kind):
        if is_own_class(base):
            for one in namespace_of(base).values():
                yield attribute(one, "__func__") or one, receiver


def is_own_class(kind: type) -> bool:
    """True if a class is defined in the user's code."""
    if is_library_type(kind):
        return False
    module = sys.modules.get(module_of(kind))
    return module is not None and (module_of(kind) == "__main__" or _is_own_module(module))


def _is_own_module(value: Any) -> bool:
    if type(value) is not ModuleType:
        return False
    file = vars_of(value).get("__file__")
    return type(file) is str and file_kind(file) == "own"


def equals(number: Any, scalar: np.ndarray) -> bool:
    """True if a number of `NUMBERS`, cast to the dtype of a scalar, equals it."""
    try:
        with np.errstate(all="ignore"):
            return bool(np.asarray(number).astype(scalar.dtype) == scalar)
    except (OverflowError, TypeError, ValueError):
        return False
