"""Finds the value of a name in a function, and of the attributes and entries behind it. Only
namespaces are read: no descriptor, property or `__getattr__` of the user runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxviz.capture.calls.statics import is_users
from jaxviz.capture.reads.code_reads import Step, reads_of
from jaxviz.capture.shown.objects import (
    MISSING,
    Types,
    attribute,
    class_attribute,
    has_class_attribute,
    inherits,
    is_a,
    is_class,
    is_library_type,
    slots_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import shown
from jaxviz.capture.shown.source import file_kind
from jaxviz.capture.weak import reference

CONTAINERS = Types(dict, list, tuple, set, frozenset)
_BUILTIN = Types(dict, list, tuple)


class Root(NamedTuple):
    """Where a path begins. It keeps no object of the user alive."""

    name: str
    find: Callable[[], Any]
    """Returns the present value; `MISSING` if there is none."""
    thing: Callable[[], Any] = lambda: None
    """A weak reference to the object of an argument, such as `self`."""
    is_kept: bool = True
    """False for an argument that is traced, or compared by value."""


class Bound(NamedTuple):
    """A value with its path."""

    root: Root
    steps: tuple[Step, ...]
    value: Any

    @property
    def text(self) -> str:
        return self.root.name + steps_text(self.steps)


class Function(NamedTuple):
    """A function of the user, and the values of its parameters that are known."""

    fun: Any
    arguments: Mapping[str, Bound]

    def root(
        self, scope: str, name: str, code: CodeType, living: FunctionType | None = None
    ) -> Bound | None:
        """The value of a name in its code, or in that of a function within it; None if it is not
        known, such as that of a local variable. `living` is a function with the same globals."""
        fun = self.fun
        if scope == "global":
            if name not in fun.__globals__:
                return None
            return Bound(Root(name, _global(living or fun, name)), (), fun.__globals__[name])
        is_argument = name in self.arguments and (code is fun.__code__ or scope == "free")
        if is_argument and name not in reads_of(code).stored | reads_of(fun.__code__).stored:
            return self.arguments[name]
        if scope == "free" and name in fun.__code__.co_freevars:
            find = _closed(fun, name)
            value = find()
            return None if value is MISSING else Bound(Root(name, find), (), value)
        return None

    def value(self, path: tuple[str, ...], code: CodeType) -> Any:
        """The value of a name with its attributes in its code, or in that of a function within it;
        `MISSING` if it is not known."""
        is_local = path[0] in code.co_varnames or path[0] in code.co_cellvars
        scope = "local" if is_local else "free" if path[0] in code.co_freevars else "global"
        root = self.root(scope, path[0], code)
        steps = tuple(Step(False, name) for name in path[1:])
        bound, _ = (None, "") if root is None else resolved(root, steps, in_libraries=True)
        return MISSING if bound is None or len(bound.steps) != len(steps) else bound.value

    def closure(self) -> Iterator[tuple[str, Any]]:
        for name in self.fun.__code__.co_freevars:
            value = _closed(self.fun, name)()
            if value is not MISSING:
                yield name, value


def steps_text(steps: tuple[Step, ...]) -> str:
    return "".join(f"[{shown(key)}]" if is_item else f".{key}" for is_item, key in steps)


def argument(name: str, value: Any, is_kept: bool) -> Bound:
    """An argument of a call. `is_kept` is False if JAX traces it or compares its value."""
    found = reference(value)

    def find() -> Any:
        here = found()
        return MISSING if here is None else here

    return Bound(Root(name, find, found, is_kept), (), value)


def _global(fun: FunctionType, name: str) -> Callable[[], Any]:
    function = reference(fun)

    def find() -> Any:
        here = function()
        return MISSING if here is None else here.__globals__.get(name, MISSING)

    return find


def _closed(fun: FunctionType, name: str) -> Callable[[], Any]:
    function = reference(fun)

    def find() -> Any:
        here = function()
        if here is None or here.__closure__ is None:
            return MISSING
        try:
            return here.__closure__[here.__code__.co_freevars.index(name)].cell_contents
        except ValueError:
            return MISSING

    return find


def is_module(value: Any) -> bool:
    return inherits(type(value), ModuleType)


def is_own_module(module: Any) -> bool:
    """True for a module of the user, and for one without a file."""
    file = vars_of(module).get("__file__")
    return type(file) is not str or file_kind(file) == "own"


def resolved(
    start: Bound | Root, steps: tuple[Step, ...], in_libraries: bool = False
) -> tuple[Bound | None, str]:
    """The value at the end of a path, which ends earlier at an array or the method of a container;
    then the name of the method. None if it is not known without running code. Paths through
    modules of libraries are followed only with `in_libraries`."""
    if isinstance(start, Root):
        value = start.find()
        if value is MISSING:
            return None, ""
        start = Bound(start, (), value)
    bound = start
    for step in steps:
        value = bound.value
        if is_module(value) and not in_libraries and not is_own_module(value):
            return None, ""
        found = _item(value, step.key) if step.is_item else stored(value, step.key, in_libraries)
        if found is MISSING:
            method = "" if step.is_item or type(value) not in CONTAINERS else step.key
            ends = method or not is_users(type(value))
            return (bound, method) if ends and not is_module(value) else (None, "")
        bound = Bound(bound.root, (*bound.steps, step), found)
    return (None, "") if is_module(bound.value) else (bound, "")


def _item(value: Any, key: Any) -> Any:
    if type(value) is dict:
        return value.get(key, MISSING)
    if type(value) in _BUILTIN and type(key) is int and -len(value) <= key < len(value):
        return value[key]
    return MISSING


def stored(value: Any, name: str, in_libraries: bool = False) -> Any:
    """An attribute as it is stored; else `MISSING`. A property and a method are themselves the
    value. With `in_libraries`, also one of an object of JAX or NumPy that is no array."""
    if is_class(value):
        return class_attribute(value, name)
    kind = type(value)
    if is_module(value):
        return vars_of(value).get(name, MISSING)
    if in_libraries and _is_of_library(value):
        return attribute(value, name, MISSING)
    if not is_users(kind) or _has_own_lookup(kind):
        return MISSING
    of_class = class_attribute(kind, name)
    if of_class is not MISSING and has_class_attribute(type(of_class), "__set__"):
        if name in _tuple_fields(kind):
            return tuple.__getitem__(value, _tuple_fields(kind).index(name))
        slots = dict(slots_of(value))
        return slots.get(name, of_class if type(of_class) is property else MISSING)
    own = vars_of(value).get(name, MISSING)
    return of_class if own is MISSING else own


def _is_of_library(value: Any) -> bool:
    """True for an object of JAX or NumPy, except arrays, whose properties compute."""
    return is_library_type(type(value)) and not is_a(value, np.ndarray, jax.Array)


def _tuple_fields(kind: type) -> tuple[str, ...]:
    """The fields of a named tuple; empty for any other class."""
    fields = class_attribute(kind, "_fields") if inherits(kind, tuple) else ()
    return fields if type(fields) is tuple else ()


def _has_own_lookup(kind: type) -> bool:
    """True if a class of the user defines how its attributes are read."""
    found = class_attribute(kind, "__getattribute__")
    return type(found) is FunctionType and file_kind(found.__code__.co_filename) == "own"
