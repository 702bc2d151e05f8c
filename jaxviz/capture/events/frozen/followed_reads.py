"""Follows the names in a function's code, and in the code of the user's functions behind them, to
their values, with the place of each read and of the reads that lead to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.libraries import is_filter_jitted
from jaxviz.capture.calls.statics import is_users
from jaxviz.capture.events.functions import into
from jaxviz.capture.reads.code_reads import Read, Step, reads_of
from jaxviz.capture.reads.read_values import (
    CONTAINERS,
    Bound,
    Function,
    argument,
    is_module,
    resolved,
)
from jaxviz.capture.shown.digests import PLAIN
from jaxviz.capture.shown.objects import (
    MISSING,
    class_attribute,
    is_a,
    is_class,
    module_of,
    title_of,
)
from jaxviz.capture.shown.source import file_kind, is_cell
from jaxviz.capture.weak import reference

MOST_READS = 1_000
MOST_PARTS = 64
"""The most functions and models that are followed in one list."""
_READING = frozenset(("get", "items", "keys", "values", "index", "count", "copy"))
"""The methods of containers that do not change them."""


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
        self._waiting: list[tuple[Function, ReadPlace | None]] = [(first, None)]
        self._seen: set[tuple[int, int]] = set()
        self._codes: set[int] = set()
        self._follow_all()
        self._waiting = [
            (function_of_code(code, first.fun.__globals__), None)
            for code in ran
            if id(code) not in self._codes and _shares_names(code, first.fun.__code__)
        ]
        self._follow_all()

    def _follow_all(self) -> None:
        for function, within in self._waiting:
            if len(self.reads) >= MOST_READS:
                break
            self._follow(function, within)

    def _follow(self, function: Function, within: ReadPlace | None) -> None:
        """Adds the reads of a function; `within` is the read that leads to it."""
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
                root = self._root(function, read, one)
                if root is not None:
                    place = ReadPlace(reference(one), read, within, is_own)
                    self._add(root, place, read.offset in found.changed)
            waiting += [(inner, reads_of(inner)) for inner in found.inner]

    def _root(self, function: Function, read: Read, code: CodeType) -> Bound | None:
        first, fun = self._first.fun, function.fun
        living = first if first.__globals__ is fun.__globals__ else fun
        return function.root(read.scope, read.name, code, living)

    def _add(self, root: Bound, place: ReadPlace, is_changed: bool) -> None:
        bound, method = resolved(root, place.read.steps)
        if bound is None:
            return
        if is_changed or (method and method not in _READING):
            self.paths_changed.add(bound.text)
            return
        self.reads.append(ReadValue(bound, place))
        self._reach(bound, place)

    def _reach(self, bound: Bound, by: ReadPlace) -> None:
        """Follows the functions that a value leads to."""
        value = bound.value
        kind = type(value)
        if kind in PLAIN or is_a(value, np.ndarray, jax.Array):
            return
        if kind in CONTAINERS:
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
                owner = argument("self", receiver, True)
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
            self._waiting.append((Function(fun, arguments), by))


def function_of_code(code: CodeType, names: dict[str, Any]) -> Function:
    """A function of this code, to read its names. Its closure variables are not known."""
    cells = tuple(CellType() for _ in code.co_freevars)
    return Function(FunctionType(code, names, closure=cells), {})


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
    return None if owner is None or is_module(owner.value) or is_class(owner.value) else owner


def chain(place: ReadPlace) -> Iterator[ReadPlace]:
    """A read, and the reads that lead to its function, the innermost first."""
    at: ReadPlace | None = place
    while at is not None:
        yield at
        at = at.within
