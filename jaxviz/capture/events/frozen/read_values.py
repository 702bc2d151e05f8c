"""Follows the names in a function's code, and in the code of the user's functions behind them, to
their values. Only namespaces are read: no descriptor, property or `__getattr__` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.libraries import is_filter_jitted
from jaxviz.capture.calls.statics import is_users
from jaxviz.capture.events.frozen.code_reads import CodeReads, Read, Step, reads_of
from jaxviz.capture.events.functions import into
from jaxviz.capture.shown.digests import PLAIN
from jaxviz.capture.shown.objects import (
    MISSING,
    Types,
    class_attribute,
    has_class_attribute,
    inherits,
    is_a,
    is_class,
    module_of,
    slots_of,
    title_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import shown
from jaxviz.capture.shown.source import file_kind, is_cell
from jaxviz.capture.weak import reference

MOST_READS = 1_000
MOST_PARTS = 64
"""The most functions and models that are followed in one list."""
_CONTAINERS = Types(dict, list, tuple, set, frozenset)
_READING = frozenset(("get", "items", "keys", "values", "index", "count", "copy"))
"""The methods of containers that do not change them."""
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
        return self.root.name + "".join(map(step_text, self.steps))


class Function(NamedTuple):
    """A function of the user, and the values of its parameters that are known."""

    fun: Any
    arguments: Mapping[str, Bound]
    within: ReadPlace | None
    """The read that leads to it; None for the traced function."""


class ReadPlace(NamedTuple):
    """The place of a read. It keeps no object of the user alive."""

    code: Callable[[], Any]
    """A weak reference to the code."""
    read: Read
    within: ReadPlace | None
    """The read that leads to the function; None in the traced function."""
    is_own: bool
    """True if the code is that of the function itself, not of one in it."""


class ReadValue(NamedTuple):
    """A value that the code of a function read."""

    bound: Bound
    place: ReadPlace


def step_text(step: Step) -> str:
    return f"[{shown(step.key)}]" if step.is_item else f".{step.key}"


class Walk:
    """The reads of a function and of the user's functions behind it, at most `MOST_READS`."""

    def __init__(self, first: Function, ran: Iterable[CodeType] = ()) -> None:
        """`ran` has code of the user that ran, also functions that only a library called."""
        self.reads: list[ReadValue] = []
        self.mentioned: set[Any] = set()
        """The attributes and string constants of all its code."""
        self.stored: set[str] = set()
        """The attributes that its code sets."""
        self.names_set: set[str] = set()
        """The global and closure variables that its code sets."""
        self.paths_changed: set[str] = set()
        """The containers that its code changes, by path."""
        self.jitted: list[Jitted] = []
        """The jitted functions among the values."""
        self.objects: dict[int, str] = {}
        """The user's objects among the values, by their number, with their path."""
        self._first = first
        self._waiting = [first]
        self._seen: set[tuple[int, int]] = set()
        self._codes: set[int] = set()
        self._follow_all()
        self._waiting = [
            Function(function_of_code(code, first.fun.__globals__), {}, None)
            for code in ran
            if id(code) not in self._codes and _shares_names(code, first.fun.__code__)
        ]
        self._follow_all()

    def _follow_all(self) -> None:
        for function in self._waiting:
            if len(self.reads) >= MOST_READS:
                break
            self._follow(function)

    def _follow(self, function: Function) -> None:
        code = function.fun.__code__
        waiting = [(code, reads_of(code))]
        for one, found in waiting:
            self._codes.add(id(one))
            self.mentioned |= found.mentioned
            self.stored |= found.stored_attributes
            self.names_set |= found.shared
            is_own = one is code
            for read in found.reads:
                if len(self.reads) >= MOST_READS:
                    return
                self._add(function, one, found, read, is_own)
            waiting += [(inner, reads_of(inner)) for inner in found.inner]

    def _add(
        self, function: Function, code: CodeType, found: CodeReads, read: Read, is_own: bool
    ) -> None:
        root = self._root(function, code, read, is_own)
        if root is None:
            return
        bound, method = resolved(root, read.steps)
        if bound is None:
            return
        if read.offset in found.changed or (method and method not in _READING):
            self.paths_changed.add(bound.text)
            return
        place = ReadPlace(reference(code), read, function.within, is_own)
        self.reads.append(ReadValue(bound, place))
        self._reach(bound, place)

    def _root(self, function: Function, code: CodeType, read: Read, is_own: bool) -> Bound | None:
        """The value of a name; None if it is not known."""
        fun, name = function.fun, read.name
        if read.scope == "global":
            if name not in fun.__globals__:
                return None
            first = self._first.fun
            shared = first if first.__globals__ is fun.__globals__ else fun
            return Bound(Root(name, _global(shared, name)), (), fun.__globals__[name])
        stored = reads_of(code).stored | reads_of(fun.__code__).stored
        if name in function.arguments and name not in stored and (is_own or read.scope == "free"):
            return function.arguments[name]
        if read.scope == "free" and name in fun.__code__.co_freevars:
            find = _closed(fun, name)
            value = find()
            return None if value is MISSING else Bound(Root(name, find), (), value)
        return None

    def _reach(self, bound: Bound, by: ReadPlace) -> None:
        """Follows the functions that a value leads to."""
        value = bound.value
        kind = type(value)
        if kind in PLAIN or is_a(value, np.ndarray, jax.Array):
            return
        if kind in _CONTAINERS:
            parts = value.items() if kind is dict else enumerate(value)
            for key, part in islice(parts, MOST_PARTS):
                if type(part) is FunctionType or is_users(type(part)):
                    self._reach(Bound(bound.root, (*bound.steps, Step(True, key)), part), by)
            return
        owner = _owner(bound)
        if kind is MethodType:
            owner, value = Bound(bound.root, bound.steps[:-1], value.__self__), value.__func__
        if is_class(value):
            if is_users(value):
                self._queue(class_attribute(value, "__init__"), None, by)
                self._queue(class_attribute(value, "__call__"), None, by)
            return
        if type(value) is FunctionType:
            self._queue(value, owner, by)
            return
        if kind is property:
            self._queue(value.fget, owner, by)
            return
        if is_users(kind):
            self.objects.setdefault(id(value), bound.text)
            called = class_attribute(kind, "__call__")
            if called is not MISSING:
                self._reach(Bound(bound.root, (*bound.steps, Step(False, "__call__")), called), by)
            return
        layers = layers_of(value)
        if len(layers) > 1:
            self._unwrap(layers, owner, by)

    def _unwrap(self, layers: list[Any], owner: Bound | None, by: ReadPlace) -> None:
        """Follows the function under a wrapper, such as that of `jax.jit`."""
        inner = layers[-1]
        for layer in layers:
            if type(layer) is MethodType:
                receiver = layer.__self__
                owner = Bound(_argument("self", receiver, True), (), receiver)
        if type(inner) is not FunctionType:
            return
        if any(map(is_jit, layers)):
            receiver = None if owner is None else owner.value
            self.jitted.append(Jitted(inner, receiver))
        self._queue(inner, owner, by)

    def _queue(self, fun: Any, owner: Bound | None, by: ReadPlace) -> None:
        if type(fun) is not FunctionType or file_kind(fun.__code__.co_filename) != "own":
            return
        if owner is not None and is_users(type(owner.value)):
            self.objects.setdefault(id(owner.value), owner.text)
        key = id(fun), 0 if owner is None else id(owner.value)
        if key not in self._seen:
            self._seen.add(key)
            names = fun.__code__.co_varnames[: fun.__code__.co_argcount]
            arguments = {names[0]: owner} if owner is not None and names else {}
            self._waiting.append(Function(fun, arguments, by))


def function_of_code(code: CodeType, names: dict[str, Any]) -> FunctionType:
    """A function of this code, to read its names. Its closure variables are not known."""
    return FunctionType(code, names, closure=tuple(CellType() for _ in code.co_freevars))


def _shares_names(code: CodeType, other: CodeType) -> bool:
    """True if two functions have the same global names."""
    files = code.co_filename, other.co_filename
    return files[0] == files[1] or all(map(is_cell, files))


class Jitted(NamedTuple):
    """A jitted function that a name leads to."""

    fun: Any
    receiver: Any
    """The object of a method; None for other functions."""


def is_jit(layer: Any) -> bool:
    """True for a function jitted by JAX, Equinox or Flax NNX."""
    if is_jitted(layer) or is_filter_jitted(layer):
        return True
    kind = type(layer)
    return title_of(kind).startswith("Jit") and module_of(kind).startswith("flax.nnx.")


def layers_of(value: Any) -> list[Any]:
    layers = [value]
    into(layers, [])
    return layers


def _owner(bound: Bound) -> Bound | None:
    """The object whose method a value is: the path without its last step."""
    if not bound.steps or bound.steps[-1].is_item:
        return None
    owner, _ = resolved(bound.root, bound.steps[:-1])
    return None if owner is None or _is_module(owner.value) or is_class(owner.value) else owner


def _argument(name: str, value: Any, is_kept: bool) -> Root:
    found = reference(value)

    def find() -> Any:
        here = found()
        return MISSING if here is None else here

    return Root(name, find, found, is_kept)


def argument(name: str, value: Any, is_kept: bool) -> Bound:
    """An argument of a call. `is_kept` is False if JAX traces it or compares its value."""
    return Bound(_argument(name, value, is_kept), (), value)


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


def _is_module(value: Any) -> bool:
    return inherits(type(value), ModuleType)


def resolved(start: Bound | Root, steps: tuple[Step, ...]) -> tuple[Bound | None, str]:
    """The value at the end of a path, which ends earlier at an array or the method of a container;
    then the name of the method. None if it is not known without running code."""
    if isinstance(start, Root):
        value = start.find()
        if value is MISSING:
            return None, ""
        start = Bound(start, (), value)
    bound = start
    for step in steps:
        value = bound.value
        if _is_module(value) and not _is_own_module(value):
            return None, ""
        found = _item(value, step.key) if step.is_item else _attribute(value, step.key)
        if found is MISSING:
            method = "" if step.is_item or type(value) not in _CONTAINERS else step.key
            ends = method or not is_users(type(value))
            return (bound, method) if ends and not _is_module(value) else (None, "")
        bound = Bound(bound.root, (*bound.steps, step), found)
    value = bound.value
    return (None, "") if _is_module(value) else (bound, "")


def _is_own_module(module: ModuleType) -> bool:
    file = vars_of(module).get("__file__")
    return type(file) is not str or file_kind(file) == "own"


def _item(value: Any, key: Any) -> Any:
    if type(value) is dict:
        return value.get(key, MISSING)
    if type(value) in _BUILTIN and type(key) is int and -len(value) <= key < len(value):
        return value[key]
    return MISSING


def _attribute(value: Any, name: str) -> Any:
    """An attribute as it is stored. A property and a method are themselves the value."""
    if is_class(value):
        return class_attribute(value, name)
    kind = type(value)
    if _is_module(value):
        return vars_of(value).get(name, MISSING)
    if not is_users(kind) or has_own_lookup(kind):
        return MISSING
    of_class = class_attribute(kind, name)
    if of_class is not MISSING and has_class_attribute(type(of_class), "__set__"):
        slots = dict(slots_of(value))
        return slots.get(name, of_class if type(of_class) is property else MISSING)
    own = vars_of(value).get(name, MISSING)
    return of_class if own is MISSING else own


def has_own_lookup(kind: type) -> bool:
    """True if a class of the user defines how its attributes are read."""
    found = class_attribute(kind, "__getattribute__")
    return type(found) is FunctionType and file_kind(found.__code__.co_filename) == "own"


def functions_of(code: CodeType, names: dict[str, Any]) -> Function:
    """The code of a cell as a function of the user's names."""
    return Function(FunctionType(code, names), {}, None)


def chain(place: ReadPlace) -> Iterator[ReadPlace]:
    """A read, and the reads that lead to its function, the innermost first."""
    at: ReadPlace | None = place
    while at is not None:
        yield at
        at = at.within
