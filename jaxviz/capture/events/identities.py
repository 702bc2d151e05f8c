"""Numbers function objects, with weak references alone: what is dropped elsewhere is gone here."""

from __future__ import annotations

import weakref
from functools import partial
from itertools import count
from threading import RLock
from types import MethodType
from typing import Any

from jaxviz.capture.weak import Weak
from jaxviz.schema.signature import Function

FUNCTIONS_REMEMBERED = 10_000
"""How many functions are remembered: the latest ones."""


class Identities:
    """Numbers function objects. Two have one number if JAX's caches take them for one function."""

    def __init__(self) -> None:
        self._numbers: Weak[int] = Weak()
        self._methods: Weak[dict[int, tuple[int, weakref.ref[Any]]]] = Weak()
        """For an object, its methods' numbers and first objects, by the number of the function."""
        self._objects: dict[int, weakref.ref[Any]] = {}
        """The objects that live, by their numbers."""
        self._latest: dict[Function, int] = {}
        self._next = count()
        self._lock = RLock()

    def is_kept(self, function: Function, number: int | None) -> bool:
        """Whether the object that was last traced of a function's code still lives, and is another
        one than this, which is traced now."""
        with self._lock:
            before = self._latest.pop(function, None)
            if number is not None:
                self._latest[function] = number
            if len(self._latest) > FUNCTIONS_REMEMBERED:
                del self._latest[next(iter(self._latest))]
            return before != number and before in self._objects

    def new(self) -> int:
        """A new number, for a function that is gone already."""
        return next(self._next)

    def of(self, fun: Any) -> int | None:
        """The function's number; None if it cannot be referred to weakly. Python makes a new method
        object each time that `model.f` is evaluated: all have one number while the first lives."""
        with self._lock:
            return self._of(fun)

    def _of(self, fun: Any) -> int | None:
        if type(fun) is not MethodType:
            return self._number(fun)
        methods = self._methods.get(fun.__self__)
        if methods is None:
            methods = {}
            if not self._methods.set(fun.__self__, methods):
                return None
        method = self._number(fun.__func__)
        if method is None:
            return None
        number, first = methods.get(method, (0, None))
        if first is None or first() is None:
            number = next(self._next)
            methods[method] = number, weakref.ref(fun)
            self._remember(number, fun)
        return number

    def _number(self, thing: Any) -> int | None:
        found = self._numbers.get(thing)
        if found is not None:
            return found
        number = next(self._next)
        if not self._numbers.set(thing, number):
            return None
        self._remember(number, thing)
        return number

    def _remember(self, number: int, thing: Any) -> None:
        # Python drops an interrupt that comes within a callback written in Python.
        self._objects[number] = weakref.ref(thing, partial(self._objects.pop, number))
